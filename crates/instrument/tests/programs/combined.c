// Combined constructs with clauses for both halves.
#include <stdio.h>

#define N 512
#define LIMIT 100

static int tp;
#pragma omp threadprivate(tp)

static int split(int n, const int *a) {
  int s = 0, x = 1, i, j;
#pragma omp parallel for if (parallel : n > LIMIT) default(none), shared(a, n)                     \
    schedule(static, 4), firstprivate(x) lastprivate(x) reduction(+ : s) private(j) collapse(1)
  for (i = 0; i < n; i++) {
    for (j = 0; j < 3; j++) s += a[i] * j;
    if (i == n - 1) x = 99;
  }
  return s + x;
}

static int linear(int n, int *a) {
  int k = 0;
#pragma omp parallel for default(none) shared(n, a) linear(k : 2)
  for (int i = 0; i < n; i++) {
    a[i] += k;
    k += 2;
  }
  return a[n - 1] + k;
}

static int sections(void) {
  int a = 0, b = 0;
#pragma omp parallel sections num_threads(2) lastprivate(b)
  {
#pragma omp section
    a = 1;
#pragma omp section
    {
      b = 2;
      b++;
    }
  }
  return a * 10 + b;
}

static int array_reduction(void) {
  int h[4] = {0, 0, 0, 0};
#pragma omp parallel for reduction(+ : h[0 : 4]) default(none)
  for (int i = 0; i < N; i++) h[i % 4] += i;
  return h[0] + 3 * h[3];
}

int main(void) {
  int a[N], n = 0;
  for (int i = 0; i < N; i++) a[i] = i;
  n = linear(N, a);
  tp = 3;
#pragma omp parallel master copyin(tp) default(shared)
  n += tp;
#pragma omp parallel for ordered schedule(dynamic)
  for (int i = 0; i < 4; i++)
#pragma omp ordered
    printf("%d ", i);
  printf("%d %d %d %d %d\n", split(N, a), a[N - 1], sections(), array_reduction(), n);
  return 0;
}
