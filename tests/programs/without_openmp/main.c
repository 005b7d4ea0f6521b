#include <stdio.h>

/* Compiled without OpenMP: the directives are comments, and must stay that. */
int main(void)
{
  int sum = 0;
#pragma omp parallel num_threads(4)
  {
#pragma omp for
    for (int i = 0; i < 4; i++)
      sum += i;
#pragma omp simd
    for (int i = 0; i < 4; i++)
      sum += 1;
  }
#ifdef _OPENMP
  sum = -1;
#endif
  printf("%d\n", sum);
  return 0;
}
