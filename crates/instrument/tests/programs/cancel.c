// Cancelled regions: what was begun must end.
#include <stdio.h>

#define N 1000

int main(void) {
  int found = 0;
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < N; i++) {
      if (i == 3) {
#pragma omp atomic write
        found = 1;
#pragma omp cancel for
      }
#pragma omp cancellation point for
    }
#pragma omp barrier
  }
#pragma omp parallel sections
  {
#pragma omp section
    {
#pragma omp cancel sections
    }
#pragma omp section
    {
#pragma omp cancellation point sections
    }
  }
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
  for (int i = 0; i < N; i++) {
#pragma omp task firstprivate(i)
    {
      if (i == 5) {
#pragma omp cancel taskgroup
      }
    }
  }
  printf("%d\n", found);
  return 0;
}
