/* In how many ways n queens stand on a board of n x n without attacking each other. Row by row, a task
   for each square that is safe; each has a copy of the board. */
#include "kernel.h"
#include <string.h>

#define QUEENS_MAX 16
#define CUTOFF 3

static int is_safe(const signed char *columns, int row, int column)
{
  for (int above = 0; above < row; above++) {
    int apart = columns[above] - column;
    if (apart == 0 || apart == row - above || apart == above - row)
      return 0;
  }
  return 1;
}

#ifdef MANUAL
static long serial(int n, int row, signed char *columns)
{
  long ways = 0;
  if (row == n)
    return 1;
  for (int column = 0; column < n; column++)
    if (is_safe(columns, row, column)) {
      columns[row] = (signed char)column;
      ways += serial(n, row + 1, columns);
    }
  return ways;
}
#endif

static long place(int n, int row, const signed char *above)
{
  long ways[QUEENS_MAX] = {0}, sum = 0;
  if (row == n)
    return 1;
#ifdef MANUAL
  if (row >= CUTOFF) {
    signed char columns[QUEENS_MAX];
    memcpy(columns, above, (size_t)row);
    return serial(n, row, columns);
  }
#endif
  for (int column = 0; column < n; column++) {
    if (!is_safe(above, row, column))
      continue;
#if defined(IF_CLAUSE)
#pragma omp task untied shared(ways) firstprivate(column) if (row < CUTOFF)
#elif defined(FINAL)
#pragma omp task untied shared(ways) firstprivate(column) final(row >= CUTOFF)
#else
#pragma omp task untied shared(ways) firstprivate(column)
#endif
    {
      signed char columns[QUEENS_MAX];
      memcpy(columns, above, (size_t)row);
      columns[row] = (signed char)column;
      ways[column] = place(n, row + 1, columns);
    }
  }
#pragma omp taskwait
  for (int column = 0; column < n; column++)
    sum += ways[column];
  return sum;
}

int main(int argc, char **argv)
{
  static const long known[] = {1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596};
  int n = (int)size_or(argc, argv, 7);
  signed char none[1] = {0};
  long ways = 0;
  if (n < 1 || n > 14)
    return 2;
  double begin = now_s();
#pragma omp parallel
#pragma omp single
  ways = place(n, 0, none);
  double seconds = now_s() - begin;
  printf("%ld ways for %d queens\n", ways, n);
  return finish(ways == known[n], seconds);
}
