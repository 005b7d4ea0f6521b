// Directives, braces and loop headers in preprocessor branches.
#include <stdio.h>

#define N 64
#define STATIC 1

int main(void) {
  int a[N], s = 0, x = 0;
#ifdef DYNAMIC
#pragma omp parallel for schedule(dynamic)
#elif defined(STATIC)
#pragma omp parallel for schedule(static) // this one
#else
#pragma omp parallel for
#endif
  for (int i = 0; i < N; i++) a[i] = i;

#ifdef _OPENMP
#pragma omp parallel reduction(+ : s)
  {
#pragma omp for
#endif
    for (int i = 0; i < N; i++) s += a[i];
#ifdef _OPENMP
  }
#endif

#pragma omp parallel
#pragma omp single
#if DYNAMIC
  for (int i = 0; i < N; i++) {
    x = 1;
#else
  for (int i = 0; i < 2 * N; i++) {
#endif
    x += 1;
  } printf("%d\n", __LINE__);

#pragma omp parallel num_threads(2)
#pragma omp critical
#ifdef DYNAMIC
  x = 1;
#else
  { s = s > 0 ? s : 1; }
#endif
  printf("%d %d %d\n", s, x, __LINE__);
  return 0;
}
