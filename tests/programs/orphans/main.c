#include <stdio.h>

static int total, visits;

/* Called outside of any region (a team of one) and inside of one. */
static void step(int n)
{
#pragma omp for schedule(dynamic)
  for (int i = 0; i < n; i++)
#pragma omp atomic
    total += i;
#pragma omp single
  total += 100;
#pragma omp master
  total += 1000;
#pragma omp barrier
#pragma omp critical(visits)
  visits += 1;
#pragma omp sections nowait
  {
#pragma omp section
#pragma omp task
#pragma omp atomic update
    total += 10000;
  }
#pragma omp taskwait
}

int main(void)
{
  step(4);
#pragma omp parallel
  step(4);
#pragma omp parallel if (0)
  {
    step(2);
    step(2);
  }
  printf("%d %d\n", total, visits > 3);
  return 0;
}
