#include <omp.h>
#include <stdio.h>

/* Two active levels: every thread of the outer team opens an inner team of two, twice. */
int main(void)
{
  int inner_members = 0, iterations = 0, deepest = 0;
#pragma omp parallel reduction(max : deepest) reduction(+ : iterations)
  {
    for (int repeat = 0; repeat < 2; repeat++) {
#pragma omp parallel num_threads(2) reduction(+ : iterations)
      {
#pragma omp atomic
        inner_members++;
#pragma omp critical
        if (omp_get_level() > deepest)
          deepest = omp_get_level();
#pragma omp for
        for (int i = 0; i < 10; i++)
          iterations++;
#pragma omp barrier
      }
    }
#pragma omp barrier
  }
  printf("%d %d %d\n", inner_members / omp_get_max_threads(), iterations / omp_get_max_threads(),
         deepest);
  return 0;
}
