#include <stdio.h>

/* Target constructs as the host sees them; without a device, their code runs on the host too. */
#define N 8

#pragma omp declare target
static int offset = 3;

static int shifted(int i)
{
  int result = 0;
#pragma omp critical(on_the_device)
  result = i + offset;
  return result;
}
#pragma omp end declare target

/* The body of target data runs on the host: what is in it is observed. */
static void with_data(int *a)
{
#pragma omp target data map(tofrom : a[0 : N])
  {
#pragma omp target if (0)
    for (int i = 0; i < N; i++)
      a[i] = shifted(i);
#pragma omp parallel num_threads(2)
    {
#pragma omp master
      {
#pragma omp target update from(a[0 : N])
      }
#pragma omp barrier
#pragma omp for
      for (int i = 0; i < N; i++)
        a[i] *= 2;
    }
#pragma omp target update to(a[0 : 4]) if (0)
  }
}

int main(void)
{
  int a[N] = {0}, sum = 0;
  for (int round = 0; round < 3; round++)
    with_data(a);
#pragma omp target enter data map(to : a)
#pragma omp target teams distribute parallel for reduction(+ : sum) map(a)
  for (int i = 0; i < N; i++)
    sum += a[i];
#pragma omp target parallel num_threads(2) map(tofrom : sum)
  {
#pragma omp for
    for (int i = 0; i < N; i++) {
#pragma omp atomic
      sum++;
    }
  }
#pragma omp target simd map(a)
  for (int i = 0; i < N; i++)
    a[i]++;
#pragma omp target exit data map(from : a)
#pragma omp parallel
#pragma omp single
  {
#pragma omp target nowait depend(out : sum) map(tofrom : sum)
    sum++;
#pragma omp taskwait
  }
  printf("%d %d\n", sum, a[N - 1]);
  return 0;
}
