#include <stdio.h>

/* Recursion: every call creates two tasks. Below n = 4 they are undeferred by the if clause. */
static long fib(int n)
{
  long a, b;
  if (n < 2)
    return n;
#pragma omp task shared(a) if (n >= 4)
  a = fib(n - 1);
#pragma omp task shared(b) if (n >= 4)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

/* The same with final: the tasks of n = 4 are final, so what they create is included. */
static long fib_final(int n)
{
  long a, b;
  if (n < 2)
    return n;
#pragma omp task shared(a) final(n <= 4) mergeable
  a = fib_final(n - 1);
#pragma omp task shared(b) final(n <= 4) mergeable
  b = fib_final(n - 2);
#pragma omp taskwait
  return a + b;
}

int main(void)
{
  long result[2];
#pragma omp parallel shared(result)
#pragma omp single nowait
  {
    result[0] = fib(9);
    result[1] = fib_final(9);
  }
  printf("%ld %ld\n", result[0], result[1]);
  return 0;
}
