#include <stdio.h>
static int depth(int n) {
  int below = 0;
  if (n > 0) {
#pragma omp task shared(below)
    below = depth(n - 1);
#pragma omp taskwait
  }
#pragma omp taskwait
  return below + 1;
}
int main(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  sum = depth(1000);
  printf("%d\n", sum);
  return 0;
}
