/* Fibonacci numbers by their definition: nearly nothing but the creation of tasks. */
#include "kernel.h"

#define CUTOFF 8

#ifdef MANUAL
static long serial(int n)
{
  return n < 2 ? n : serial(n - 1) + serial(n - 2);
}
#endif

static long fib(int n, int depth)
{
  long a, b;
  if (n < 2)
    return n;
#ifdef MANUAL
  if (depth >= CUTOFF)
    return serial(n);
#endif
#if defined(IF_CLAUSE)
#pragma omp task untied shared(a) if (depth < CUTOFF)
#elif defined(FINAL)
#pragma omp task untied shared(a) final(depth >= CUTOFF) mergeable
#else
#pragma omp task untied shared(a)
#endif
  a = fib(n - 1, depth + 1);
#if defined(IF_CLAUSE)
#pragma omp task untied shared(b) if (depth < CUTOFF)
#elif defined(FINAL)
#pragma omp task untied shared(b) final(depth >= CUTOFF) mergeable
#else
#pragma omp task untied shared(b)
#endif
  b = fib(n - 2, depth + 1);
#pragma omp taskwait
  return a + b;
}

int main(int argc, char **argv)
{
  int n = (int)size_or(argc, argv, 14);
  long found = 0, before = 1, expected = 0;
  double begin = now_s();
#pragma omp parallel
#pragma omp single
  found = fib(n, 0);
  double seconds = now_s() - begin;
  for (int i = 0; i < n; i++) {
    long next = before + expected;
    before = expected;
    expected = next;
  }
  printf("fib(%d) = %ld\n", n, found);
  return finish(found == expected, seconds);
}
