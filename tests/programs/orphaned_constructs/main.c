#include <stdio.h>

#include "work.h"

int trail;

int main(void)
{
  /* A team of one, without a parallel region. */
  by_one();
  by_all();
  by_tasks(2);
#pragma omp parallel
  {
#pragma omp for ordered
    for (int i = 0; i < 5; i++)
      in_order(i);
    by_one();
#pragma omp barrier
    by_all();
#pragma omp single nowait
    by_tasks(4);
  }
#pragma omp parallel num_threads(2)
  by_tasks(3);
  printf("%d\n", trail);
  return 0;
}
