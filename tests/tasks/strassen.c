/* Strassen's product of matrices: seven products of quarters, a task each. All numbers are small
   integers, so that sums are exact in any order. */
#include "kernel.h"
#include <string.h>

#define SMALL 16
#define CUTOFF 2

/* What is multiplied, where in rows of which width, and where the result goes, dense. */
typedef struct {
  const double *a;
  long wa;
  const double *b;
  long wb;
  double *c;
} Factors;

/* c = a * b for blocks of n x n in rows of these widths. */
static void product(const double *a, long wa, const double *b, long wb, double *c, long wc, long n)
{
  for (long i = 0; i < n; i++) {
    memset(c + i * wc, 0, (size_t)n * sizeof *c);
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++)
        c[i * wc + j] += a[i * wa + k] * b[k * wb + j];
  }
}

/* to = a + sign * b, dense. */
static double *sum(const double *a, const double *b, long width, double sign, double *to, long n)
{
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      to[i * n + j] = a[i * width + j] + sign * b[i * width + j];
  return to;
}

static void multiply(const double *a, long wa, const double *b, long wb, double *c, long wc, long n,
                     int depth)
{
  int small = n <= SMALL;
#ifdef MANUAL
  small |= depth >= CUTOFF;
#endif
  if (small) {
    product(a, wa, b, wb, c, wc, n);
    return;
  }
  long h = n / 2, quarter = h * h;
  const double *a11 = a, *a12 = a + h, *a21 = a + h * wa, *a22 = a21 + h;
  const double *b11 = b, *b12 = b + h, *b21 = b + h * wb, *b22 = b21 + h;
  double *memory = malloc((size_t)(17 * quarter) * sizeof *memory);
  double *s[10], *m[7];
  for (int i = 0; i < 10; i++)
    s[i] = memory + i * quarter;
  for (int i = 0; i < 7; i++)
    m[i] = memory + (10 + i) * quarter;
  sum(a11, a22, wa, 1, s[0], h);
  sum(b11, b22, wb, 1, s[1], h);
  sum(a21, a22, wa, 1, s[2], h);
  sum(b12, b22, wb, -1, s[3], h);
  sum(b21, b11, wb, -1, s[4], h);
  sum(a11, a12, wa, 1, s[5], h);
  sum(a21, a11, wa, -1, s[6], h);
  sum(b11, b12, wb, 1, s[7], h);
  sum(a12, a22, wa, -1, s[8], h);
  sum(b21, b22, wb, 1, s[9], h);
  const Factors factors[7] = {{s[0], h, s[1], h, m[0]},  {s[2], h, b11, wb, m[1]},
                              {a11, wa, s[3], h, m[2]},  {a22, wa, s[4], h, m[3]},
                              {s[5], h, b22, wb, m[4]},  {s[6], h, s[7], h, m[5]},
                              {s[8], h, s[9], h, m[6]}};
  for (int i = 0; i < 7; i++) {
#if defined(IF_CLAUSE)
#pragma omp task untied firstprivate(i) shared(factors) if (depth < CUTOFF)
#elif defined(FINAL)
#pragma omp task untied firstprivate(i) shared(factors) final(depth >= CUTOFF)
#else
#pragma omp task untied firstprivate(i) shared(factors)
#endif
    {
      const Factors *f = &factors[i];
      multiply(f->a, f->wa, f->b, f->wb, f->c, h, h, depth + 1);
    }
  }
#pragma omp taskwait
  for (long i = 0; i < h; i++)
    for (long j = 0; j < h; j++) {
      long at = i * h + j;
      c[i * wc + j] = m[0][at] + m[3][at] - m[4][at] + m[6][at];
      c[i * wc + h + j] = m[2][at] + m[4][at];
      c[(h + i) * wc + j] = m[1][at] + m[3][at];
      c[(h + i) * wc + h + j] = m[0][at] - m[1][at] + m[2][at] + m[5][at];
    }
  free(memory);
}

int main(int argc, char **argv)
{
  long n = SMALL, wanted = size_or(argc, argv, 128);
  while (n < wanted)
    n *= 2;
  double *a = malloc((size_t)(n * n) * sizeof *a), *b = malloc((size_t)(n * n) * sizeof *a);
  double *c = malloc((size_t)(n * n) * sizeof *a), *v = malloc((size_t)n * sizeof *a);
  unsigned state = 1;
  for (long i = 0; i < n * n; i++) {
    state = state * 1664525u + 1013904223u;
    a[i] = (double)(state >> 29);
    b[i] = (double)(state >> 26 & 7);
  }
  double begin = now_s();
#pragma omp parallel
#pragma omp single
  multiply(a, n, b, n, c, n, n, 0);
  double seconds = now_s() - begin;
  /* c * x = a * (b * x), for an x of small integers. */
  int holds = 1;
  double trace = 0;
  for (long i = 0; i < n; i++) {
    v[i] = 0;
    for (long j = 0; j < n; j++)
      v[i] += b[i * n + j] * (double)(j % 5);
    trace += c[i * n + i];
  }
  for (long i = 0; i < n; i++) {
    double expected = 0, found = 0;
    for (long j = 0; j < n; j++) {
      expected += a[i * n + j] * v[j];
      found += c[i * n + j] * (double)(j % 5);
    }
    holds &= expected == found;
  }
  printf("%ld rows, trace %.0f\n", n, trace);
  free(a);
  free(b);
  free(c);
  free(v);
  return finish(holds, seconds);
}
