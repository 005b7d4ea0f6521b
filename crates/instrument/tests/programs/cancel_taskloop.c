/* A cancelled taskloop: its iterations end where they are left. */
#include <stdio.h>

int main(void) {
  int i, done = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1) shared(done)
  for (i = 0; i < 60; i++) {
#pragma omp cancellation point taskgroup
    if (i == 7) {
#pragma omp cancel taskgroup
    }
#pragma omp atomic
    done++;
  }
  printf("%d\n", done < 61);
  return 0;
}
