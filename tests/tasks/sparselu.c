/* The LU factors of a sparse matrix of blocks, without pivoting. One thread creates the tasks of each
   step: the blocks in the row and in the column of the diagonal, then what they change. A block that
   was empty comes to be where a product falls on it. */
#include "kernel.h"
#include <math.h>

static long blocks, width;
static double **matrix;

static double *at(long i, long j)
{
  return matrix[i * blocks + j];
}

static int is_there(long i, long j)
{
  return labs(i - j) <= 1 || (3 * i + 5 * j) % 7 == 0;
}

/* The block's own factors, in its place. */
static void factor(double *d)
{
  for (long k = 0; k < width; k++)
    for (long i = k + 1; i < width; i++) {
      d[i * width + k] /= d[k * width + k];
      for (long j = k + 1; j < width; j++)
        d[i * width + j] -= d[i * width + k] * d[k * width + j];
    }
}

/* b = L^-1 * b for the L of the diagonal. */
static void solve_row(const double *d, double *b)
{
  for (long k = 0; k < width; k++)
    for (long i = k + 1; i < width; i++)
      for (long j = 0; j < width; j++)
        b[i * width + j] -= d[i * width + k] * b[k * width + j];
}

/* b = b * U^-1 for the U of the diagonal. */
static void solve_column(const double *d, double *b)
{
  for (long i = 0; i < width; i++)
    for (long k = 0; k < width; k++) {
      b[i * width + k] /= d[k * width + k];
      for (long j = k + 1; j < width; j++)
        b[i * width + j] -= b[i * width + k] * d[k * width + j];
    }
}

/* c = c - a * b. */
static void subtract(const double *a, const double *b, double *c)
{
  for (long i = 0; i < width; i++)
    for (long k = 0; k < width; k++)
      for (long j = 0; j < width; j++)
        c[i * width + j] -= a[i * width + k] * b[k * width + j];
}

static void factor_all(void)
{
  for (long k = 0; k < blocks; k++) {
    factor(at(k, k));
    for (long j = k + 1; j < blocks; j++)
      if (at(k, j)) {
#pragma omp task untied firstprivate(j, k)
        solve_row(at(k, k), at(k, j));
      }
    for (long i = k + 1; i < blocks; i++)
      if (at(i, k)) {
#pragma omp task untied firstprivate(i, k)
        solve_column(at(k, k), at(i, k));
      }
#pragma omp taskwait
    for (long i = k + 1; i < blocks; i++)
      for (long j = k + 1; j < blocks; j++)
        if (at(i, k) && at(k, j)) {
#pragma omp task untied firstprivate(i, j, k)
          {
            if (!at(i, j))
              matrix[i * blocks + j] = calloc((size_t)(width * width), sizeof(double));
            subtract(at(i, k), at(k, j), at(i, j));
          }
        }
#pragma omp taskwait
  }
}

/* to = M * from, for the whole matrix or for one of its factors. */
static void times(const double *from, double *to, int lower, int upper)
{
  for (long row = 0; row < blocks * width; row++) {
    to[row] = lower && !upper ? from[row] : 0;
    for (long column = 0; column < blocks * width; column++) {
      const double *block = at(row / width, column / width);
      int counts = column < row ? lower : column > row ? upper : upper;
      if (block && counts)
        to[row] += block[row % width * width + column % width] * from[column];
    }
  }
}

int main(int argc, char **argv)
{
  blocks = size_or(argc, argv, 6);
  width = argc > 2 ? atol(argv[2]) : 8;
  matrix = calloc((size_t)(blocks * blocks), sizeof *matrix);
  unsigned state = 1;
  for (long i = 0; i < blocks; i++)
    for (long j = 0; j < blocks; j++)
      if (is_there(i, j)) {
        double *block = malloc((size_t)(width * width) * sizeof *block);
        for (long e = 0; e < width * width; e++) {
          state = state * 1664525u + 1013904223u;
          /* The diagonal outweighs its row, so that no pivot is needed. */
          double heavy = i == j && e / width == e % width ? 2.0 * (double)(blocks * width) : 0;
          block[e] = heavy + (double)(state >> 16) / 65536.0;
        }
        matrix[i * blocks + j] = block;
      }
  size_t n = (size_t)(blocks * width);
  double *x = malloc(n * sizeof *x), *expected = malloc(n * sizeof *x);
  double *middle = malloc(n * sizeof *x), *found = malloc(n * sizeof *x);
  for (size_t i = 0; i < n; i++)
    x[i] = 1.0 + (double)(i % 3);
  times(x, expected, 1, 1);
  double begin = now_s();
#pragma omp parallel
#pragma omp single
  factor_all();
  double seconds = now_s() - begin, error = 0;
  times(x, middle, 0, 1);
  times(middle, found, 1, 0);
  long filled = 0;
  for (size_t i = 0; i < n; i++)
    error = fmax(error, fabs(found[i] - expected[i]) / fabs(expected[i]));
  for (long i = 0; i < blocks * blocks; i++) {
    filled += matrix[i] != NULL;
    free(matrix[i]);
  }
  free(matrix);
  printf("%ld of %ld blocks\n", filled, blocks * blocks);
  free(x);
  free(expected);
  free(middle);
  free(found);
  return finish(error < 1e-9, seconds);
}
