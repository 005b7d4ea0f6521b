#include <stdio.h>

/* Ordered constructs of every kind: with a body, inside a called function, and as a wavefront. */
#define N 6

static int grid[N][N], trail[2 * N], length;

static void append(int value)
{
#pragma omp ordered
  {
    trail[length] = value;
    length++;
  }
}

int main(void)
{
  int sum = 0, next = 0;
#pragma omp parallel
  {
#pragma omp for ordered schedule(dynamic, 1)
    for (int i = 0; i < N; i++) {
      if (i % 3 == 0)
        append(i);
    }
    /* The threads that leave the loop early do not wait. */
#pragma omp for ordered schedule(static, 2) nowait
    for (int i = 0; i < N; i++)
#pragma omp ordered threads
      next += i == next;
  }

#pragma omp parallel for ordered(2) schedule(static, 1)
  for (int i = 1; i < N; i++)
    for (int j = 1; j < N; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
      grid[i][j] = 1 + grid[i - 1][j] + grid[i][j - 1];
#pragma omp ordered depend(source)
    }

#pragma omp parallel for simd ordered reduction(+ : sum)
  for (int i = 0; i < N; i++) {
#pragma omp ordered simd
    sum += i;
  }

  for (int i = 0; i < length; i++)
    printf("%d ", trail[i]);
  printf("%d %d %d\n", next, sum, grid[N - 1][N - 1]);
  return 0;
}
