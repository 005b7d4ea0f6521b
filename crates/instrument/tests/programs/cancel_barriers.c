/* A cancelled parallel region with barriers, at which its other threads leave it. */
#include <omp.h>
#include <stdio.h>

int main(void) {
  int done = 0, i, j;
  for (i = 0; i < 50; i++) {
#pragma omp parallel private(j) reduction(+ : done)
    {
#pragma omp for
      for (j = 0; j < 8; j++) done += 1;
      if (omp_get_thread_num() == 0) {
#pragma omp cancel parallel
      }
#pragma omp barrier
#pragma omp single
      done += 0;
#pragma omp sections
      {
#pragma omp section
        done += 0;
      }
#pragma omp for
      for (j = 0; j < 8; j++) done += 0;
    }
  }
  printf("%d\n", done >= 0);
  return 0;
}
