#include <stdio.h>

/* Sections in a loop, more and fewer than threads, nested blocks, no directive before the first. */
int main(void)
{
  int a = 0, b = 0, c = 0, last = 0;
#pragma omp parallel
  for (int step = 0; step < 4; step++) {
#pragma omp sections lastprivate(last)
    {
      {
        a += 1;
      }
#pragma omp section
      if (step % 2)
        b += 1;
      else
        b += 10;
#pragma omp section
      {
        for (int i = 0; i < 3; i++) {
#pragma omp critical
          c += i;
        }
        last = step;
      }
    }
  }
#pragma omp parallel sections num_threads(2) reduction(+ : c)
  {
#pragma omp section
    c += 1;
#pragma omp section
    c += 1;
#pragma omp section
    c += 1;
#pragma omp section
    {
#pragma omp taskwait
      c += 1;
    }
#pragma omp section
    ;
  }
  printf("%d %d %d %d\n", a, b, c, last);
  return 0;
}
