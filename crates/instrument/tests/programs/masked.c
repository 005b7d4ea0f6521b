/* `masked` and its combinations; clang 19 runs no iteration of a combined one in the plain program. */
#include <stdio.h>

int main(void) {
  int i, s = 0, a[16] = {0};
#pragma omp parallel
  {
#pragma omp masked
    s += 1;
  }
#pragma omp parallel masked
  s += 1;
#pragma omp parallel
#pragma omp masked taskloop filter(0) default(none) shared(a) if(taskloop : s > 100)
  for (i = 0; i < 16; i++) a[i] += 1;
#pragma omp parallel
#pragma omp masked taskloop simd if(s > 100)
  for (i = 0; i < 16; i++) a[i] += 1;
#pragma omp parallel masked taskloop reduction(+ : s) num_threads(2)
  for (i = 0; i < 16; i++) s += a[i];
  printf("%d %d\n", s, a[15]);
  return 0;
}
