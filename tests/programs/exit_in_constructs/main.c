#include <stdio.h>
#include <stdlib.h>

/* The program ends from inside of everything at once. */
int main(void)
{
  int sum = 0;
#pragma omp parallel num_threads(1)
  {
#pragma omp for ordered
    for (int i = 0; i < 4; i++) {
#pragma omp ordered
      {
        sum += i;
        if (i == 2) {
#pragma omp taskgroup
          {
#pragma omp taskloop num_tasks(2) if (0) shared(sum)
            for (int j = 0; j < 6; j++) {
#pragma pomp inst begin(last)
#pragma omp flush
              if (j == 4) {
                printf("%d\n", sum);
                exit(sum);
              }
#pragma pomp inst end(last)
            }
          }
        }
      }
    }
  }
  return 0;
}
