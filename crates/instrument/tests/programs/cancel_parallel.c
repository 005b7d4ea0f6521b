// A cancelled parallel region: its threads leave by different ways.
#include <omp.h>
#include <stdio.h>

int main(void) {
  int done = 0;
#pragma omp parallel
  {
    if (omp_get_thread_num() == 0) {
#pragma omp cancel parallel
    }
#pragma omp cancellation point parallel
#pragma omp atomic
    done++;
  }
  printf("%d\n", done >= 0);
  return 0;
}
