#include "work.h"

/* Each construct binds to the region of whoever calls, which is in another file. */
void in_order(int value)
{
#pragma omp ordered
  trail += value;
}

void by_one(void)
{
#pragma omp masked
  {
    trail += 100;
#pragma omp flush(trail)
  }
}

void by_all(void)
{
#pragma omp loop bind(parallel)
  for (int i = 0; i < 8; i++) {
    int square = i * i;
    (void)square;
  }
}

void by_tasks(int tasks)
{
#pragma omp taskgroup
  {
#pragma omp taskloop nogroup num_tasks(tasks)
    for (int i = 0; i < 8; i++) {
#pragma omp taskyield
#pragma omp atomic
      trail += i;
    }
  }
}
