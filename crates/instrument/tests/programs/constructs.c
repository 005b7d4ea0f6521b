/* One of each construct with events that the other programs have not. */
#include <stdio.h>

#define N 40

static int a[N], b[N];

static void worksharing(void) {
  int i, j, s = 0;
#pragma omp parallel private(j)
  {
#pragma omp for ordered
    for (i = 0; i < N; i++) {
#pragma omp ordered
      s += i;
    }
#pragma omp for ordered(1) schedule(static, 1)
    for (i = 1; i < N; i++) {
#pragma omp ordered depend(sink : i - 1)
      a[i] = a[i - 1] + 1;
#pragma omp ordered depend(source)
    }
#pragma omp for collapse(2) ordered
    for (i = 0; i < 4; i++)
      for (j = 0; j < 4; j++) {
#pragma omp ordered threads
        {
          s += j;
        }
      }
#pragma omp flush
#pragma omp flush(s)
#pragma omp loop bind(parallel)
    for (i = 0; i < N; i++) b[i] = i;
#pragma omp for order(concurrent)
    for (i = 0; i < N; i++) b[i] += i;
#pragma omp for simd
    for (i = 0; i < N; i++) b[i] += i;
  }
  printf("%d %d %d\n", s, a[N - 1], b[N - 1]);
}

static void tasks(void) {
  int i, s = 0, r = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    {
      for (i = 0; i < 5; i++) {
#pragma omp task firstprivate(i) shared(s) depend(inout : s) priority(i)
        s += i;
#pragma omp taskyield
      }
#pragma omp taskwait depend(in : s)
    }
#pragma omp taskgroup task_reduction(+ : r)
    {
#pragma omp task in_reduction(+ : r)
      r += 1;
    }
  }
  printf("%d %d\n", s, r);
}

static void devices(void) {
  int i, s = 0;
#pragma omp target data map(tofrom : a)
  {
#pragma omp target map(tofrom : a)
    a[0] = 1;
#pragma omp target update from(a)
  }
#pragma omp target enter data map(to : b)
#pragma omp target exit data map(from : b)
#pragma omp target teams distribute parallel for map(tofrom : a)
  for (i = 0; i < N; i++) a[i] += i;
#pragma omp teams num_teams(1)
  {
#pragma omp distribute
    for (i = 0; i < N; i++) b[i] += 1;
#pragma omp distribute parallel for
    for (i = 0; i < N; i++) b[i] += 1;
#pragma omp distribute simd
    for (i = 0; i < N; i++) b[i] += 1;
  }
#pragma omp teams distribute parallel for simd reduction(+ : s)
  for (i = 0; i < N; i++) s += b[i];
#pragma omp teams loop
  for (i = 0; i < N; i++) b[i] += 1;
#pragma omp simd
  for (i = 0; i < N; i++) b[i] += 1;
  printf("%d %d %d\n", a[N - 1], b[N - 1], s);
}

int main(void) {
  worksharing();
  tasks();
  devices();
  return 0;
}
