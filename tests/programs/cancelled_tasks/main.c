#include <stdio.h>

/* Cancelled groups whose tasks come of a taskloop, or of tasks of tasks. */
int main(void)
{
  int loop = 0, deep = 0;
#pragma omp parallel num_threads(1)
#pragma omp single
  {
#pragma omp taskloop num_tasks(2) shared(loop) if (0)
    for (int i = 0; i < 10; i++) {
      loop++;
      if (i == 7) {
#pragma omp cancel taskgroup
      }
#pragma omp cancellation point taskgroup
      loop += 100;
    }
#pragma omp taskgroup
    {
#pragma omp task shared(deep) if (0)
      {
#pragma omp task shared(deep) if (0)
        {
#pragma omp critical
          deep++;
#pragma omp cancel taskgroup
          deep += 10;
        }
#pragma omp cancellation point taskgroup
        deep += 100;
      }
      deep += 1000;
    }
  }
  printf("%d %d\n", loop, deep);
  return 0;
}
