#include <stdio.h>

/* Taskloops whose tasks are undeferred, final, or included in a final one, and such as reduce. */
int main(void)
{
  int n = 0, s = 0, t = 0, inner = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp taskloop if (0) num_tasks(3) shared(n)
    for (int i = 0; i < 6; i++)
      n += i;
#pragma omp taskloop final(1) num_tasks(2) shared(inner)
    for (int i = 0; i < 4; i++) {
#pragma omp task shared(inner)
      {
#pragma omp atomic
      inner++;
      }
    }
#pragma omp taskgroup task_reduction(+ : s)
    {
#pragma omp taskloop in_reduction(+ : s) num_tasks(2)
      for (int i = 0; i < 4; i++)
        s += i;
#pragma omp task in_reduction(+ : s) final(1)
      {
        s += 10;
#pragma omp taskloop num_tasks(2) shared(t)
        for (int i = 0; i < 4; i++)
          t += i;
      }
    }
#pragma omp task shared(t) if (0)
    {
#pragma omp task shared(t)
      {
#pragma omp atomic
        t += 100;
      }
#pragma omp taskwait
    }
  }
  printf("%d %d %d %d\n", n, s, t, inner);
  return 0;
}
