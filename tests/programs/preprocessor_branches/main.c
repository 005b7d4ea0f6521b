#include <stdio.h>

static int count(int n)
{
  int sum = 0;
#ifdef WIDE
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; i++) {
#else
  for (int i = 0; i < 2 * n; i++) {
#endif
    sum += i;
#if 0
    This isn't code: {{ "
#pragma omp critical
#endif
  }
  return sum;
}

int main(void)
{
  int sum = count(5);
#if WIDE == 3
#pragma omp parallel num_threads(3)
#elif WIDE == 2
#pragma omp parallel num_threads(2)
#else
#pragma omp parallel
#endif
  {
#ifdef NARROW
#pragma omp single
#else
#pragma omp critical
#endif
    sum++;
  }
  printf("%d\n", sum);
  return 0;
}
