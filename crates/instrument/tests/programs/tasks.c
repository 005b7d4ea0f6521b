/* Tasks in C89: recursion, if and final, groups. */
#include <stdio.h>

static int fib(int n) {
  int a, b;
  if (n < 2) return n;
#pragma omp task default(none) shared(a) firstprivate(n) if (n > 4)
  a = fib(n - 1);
#pragma omp task shared(b) final(n < 6) mergeable
  {
    b = fib(n - 2);
  }
#pragma omp taskwait
  return a + b;
}

static int group(int n) {
  int b = 0, c = 0;
  if (n > 2)
#pragma omp taskgroup
  {
#pragma omp task shared(b) depend(out : b)
    b = fib(n - 1);
#pragma omp task shared(b, c) depend(in : b)
    c = b + 1;
  }
  else
    c = 1;
  return b + c;
}

int main(void) {
  int x = 0, y = 0;
#pragma omp parallel
#pragma omp single
  {
    x = fib(12);
    y = group(8);
  }
  printf("%d %d\n", x, y);
  return 0;
}
