/* Taskloops in every combination, left by `continue`. */
#include <stdio.h>

#define N 60

static int a[N], total;

static void add(int i) {
#pragma omp atomic
  total += i;
}

static void plain(void) {
  int i, j, last = 0, s = 0;
#pragma omp taskloop num_tasks(6)
  for (i = 0; i < N; i++) {
    if (i % 3) continue;
    add(i);
  }
#pragma omp taskloop grainsize(4) nogroup
  for (i = 0; i < N; i++) add(1);
#pragma omp taskwait
#pragma omp taskloop collapse(2) default(none) shared(a)
  for (i = 0; i < 6; i++)
    for (j = 0; j < 10; j++) {
      a[i * 10 + j] += j;
    }
#pragma omp taskloop lastprivate(last) reduction(+ : s) if(N > 3) untied
  for (i = 0; i < N; i++) {
    last = i;
    s += i;
#pragma omp task firstprivate(i)
    add(i);
#pragma omp taskwait
  }
  printf("%d %d\n", last, s);
}

static void simd(void) {
  int i;
#pragma omp taskloop simd
  for (i = 0; i < N; i++) a[i] += 1;
#pragma omp parallel
  {
#pragma omp master
#pragma omp taskloop
    for (i = 0; i < N; i++) add(1);
  }
}

static void combined(void) {
  int i, s = 0;
#pragma omp parallel
#pragma omp master taskloop reduction(+ : s)
  for (i = 0; i < N; i++) s += i;
#pragma omp parallel master taskloop num_threads(2) if(parallel: N > 4) reduction(+ : s)
  for (i = 0; i < N; i++) s += i;
#pragma omp parallel master taskloop simd if(N > 4) shared(a) default(none)
  for (i = 0; i < N; i++) a[i] += 1;
  printf("%d\n", s);
}

int main(void) {
  int i, sum = 0;
#pragma omp parallel
#pragma omp single
  {
    plain();
    simd();
  }
  combined();
  for (i = 0; i < N; i++) sum += a[i];
  printf("%d %d\n", sum, total);
  return 0;
}
