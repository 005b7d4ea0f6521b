/* Untied tasks with lexical scheduling points, in C89. */
#include <stdio.h>

/* A compiler may go on with another thread behind each scheduling point. */
static int untied(int n) {
  int a = 0;
#pragma omp task untied shared(a)
  {
#pragma omp task shared(a)
    a = n * n;
#pragma omp taskyield
#pragma omp taskwait
    a++;
  }
#pragma omp taskwait
  return a;
}

int main(void) {
  int x = 0;
#pragma omp parallel
#pragma omp single
  x = untied(8);
  printf("%d\n", x);
  return 0;
}
