/* Loops, sections and single in C89, every result independent of the number of threads. */
#include <stdio.h>

#define N 1000
#define CHUNK schedule(dynamic, 7)

static int data[N];

static long loops(void) {
  long sum = 0;
  int i, last = -1;
#pragma omp parallel default(none) shared(data, sum, last) private(i)
  {
#pragma omp for
    for (i = 0; i < N; i++)
      data[i] = i % 7;
#pragma omp for reduction(+ : sum) schedule(static, 3) nowait
    for (i = 0; i < N; i++) sum += data[i]; /* in one line */
#pragma omp barrier
#pragma omp for lastprivate(last) firstprivate(last)
    for (i = 0; i < N; i++)
      if (i % 2)
        last = i;
      else if (i % 3)
        last = -i;
      else
        last = 0;
#pragma omp for CHUNK
    for (i = 0; i < N; i++) {
      data[i] += 1;
    }
  }
  return sum + last;
}

static int sections(void) {
  int a = 0, b = 0, c = 0;
#pragma omp parallel
  {
#pragma omp sections
    {
      a = 1;
#pragma omp section
      { b = 2; }
#pragma omp section
      c = 3;
    }
#pragma omp single
    a += b + c;
#pragma omp single nowait
    {
      c = 10;
    }
#pragma omp master
    b += 1;
  }
  return a * 100 + b * 10 + c;
}

static int broadcast(void) {
  int value = 0, sum = 0, count = 0;
#pragma omp parallel firstprivate(value) reduction(+ : sum, count)
  {
#pragma omp single copyprivate(value)
    value = 5;
    sum += value;
    count += 1;
  }
  return sum / count;
}

int main(void) {
  printf("%ld %d %d %d\n", loops(), sections(), broadcast(), data[N - 1]);
  return 0;
}
