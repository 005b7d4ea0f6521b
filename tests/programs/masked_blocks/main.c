#include <omp.h>
#include <stdio.h>

/* Masked: the filter is an expression that may be another one in each thread and each visit. */
int main(void)
{
  int ran[4] = {0}, everyone = 0, nobody = 0, loop = 0;
#pragma omp parallel num_threads(4) default(none) shared(ran, everyone, nobody)
  {
    for (int i = 0; i < 4; i++) {
#pragma omp masked filter(i)
      ran[omp_get_thread_num()] += i;
    }
#pragma omp masked filter(omp_get_thread_num())
#pragma omp atomic
    everyone++;
#pragma omp masked filter(7)
    nobody++;
#pragma omp barrier
#pragma omp masked
    {
      ran[0] += 10;
#pragma omp critical
      ran[0] += 10;
    }
  }
#pragma omp parallel masked num_threads(2) filter(1)
  ran[1] += 100;
#pragma omp parallel num_threads(2)
#pragma omp masked
#pragma omp taskloop num_tasks(2) shared(loop)
  for (int i = 0; i < 5; i++) {
#pragma omp atomic
    loop += i;
  }
  printf("%d %d %d %d %d %d %d\n", ran[0], ran[1], ran[2], ran[3], everyone, nobody, loop);
  return 0;
}
