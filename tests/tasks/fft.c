/* A fast Fourier transform by halves: even and odd places in a task each, and their combination in
   tasks over parts of it. */
#include "kernel.h"
#include <complex.h>
#include <math.h>

#define SMALL 16
#define CUTOFF 256

typedef double complex Number;

/* The transform of every `step`th of `from`, n of them, into `to`; n is a power of two. */
static void serial(const Number *from, Number *to, long n, long step, double sign)
{
  if (n == 1) {
    to[0] = from[0];
    return;
  }
  serial(from, to, n / 2, 2 * step, sign);
  serial(from + step, to + n / 2, n / 2, 2 * step, sign);
  for (long k = 0; k < n / 2; k++) {
    Number odd = to[k + n / 2] * cexp(sign * 2.0 * I * M_PI * (double)k / (double)n);
    Number even = to[k];
    to[k] = even + odd;
    to[k + n / 2] = even - odd;
  }
}

/* Combines the places `begin` to `end` of both halves. */
static void combine(Number *to, long n, long begin, long end, double sign)
{
  if (end - begin > SMALL) {
    long middle = begin + (end - begin) / 2;
#if defined(IF_CLAUSE)
#pragma omp task untied if (end - begin > CUTOFF)
#elif defined(FINAL)
#pragma omp task untied final(end - begin <= CUTOFF)
#else
#pragma omp task untied
#endif
    combine(to, n, begin, middle, sign);
#if defined(IF_CLAUSE)
#pragma omp task untied if (end - begin > CUTOFF)
#elif defined(FINAL)
#pragma omp task untied final(end - begin <= CUTOFF)
#else
#pragma omp task untied
#endif
    combine(to, n, middle, end, sign);
#pragma omp taskwait
    return;
  }
  for (long k = begin; k < end; k++) {
    Number odd = to[k + n / 2] * cexp(sign * 2.0 * I * M_PI * (double)k / (double)n);
    Number even = to[k];
    to[k] = even + odd;
    to[k + n / 2] = even - odd;
  }
}

static void transform(const Number *from, Number *to, long n, long step, double sign)
{
  long limit = SMALL;
#ifdef MANUAL
  limit = CUTOFF;
#endif
  if (n <= limit) {
    serial(from, to, n, step, sign);
    return;
  }
#if defined(IF_CLAUSE)
#pragma omp task untied if (n > CUTOFF)
#elif defined(FINAL)
#pragma omp task untied final(n <= CUTOFF)
#else
#pragma omp task untied
#endif
  transform(from, to, n / 2, 2 * step, sign);
#if defined(IF_CLAUSE)
#pragma omp task untied if (n > CUTOFF)
#elif defined(FINAL)
#pragma omp task untied final(n <= CUTOFF)
#else
#pragma omp task untied
#endif
  transform(from + step, to + n / 2, n / 2, 2 * step, sign);
#pragma omp taskwait
  combine(to, n, 0, n / 2, sign);
}

int main(int argc, char **argv)
{
  long n = 1, wanted = size_or(argc, argv, 1024);
  while (n < wanted)
    n *= 2;
  Number *signal = malloc((size_t)n * sizeof *signal), *spectrum = malloc((size_t)n * sizeof *signal);
  Number *back = malloc((size_t)n * sizeof *signal);
  unsigned state = 1;
  for (long i = 0; i < n; i++) {
    state = state * 1664525u + 1013904223u;
    signal[i] = (double)(state >> 16) / 65536.0;
  }
  double begin = now_s();
#pragma omp parallel
#pragma omp single
  {
    transform(signal, spectrum, n, 1, -1.0);
    transform(spectrum, back, n, 1, 1.0);
  }
  double seconds = now_s() - begin, error = 0.0;
  Number sum = 0.0;
  for (long i = 0; i < n; i++) {
    error = fmax(error, cabs(back[i] / (double)n - signal[i]));
    sum += signal[i];
  }
  int holds = error < 1e-9 && cabs(spectrum[0] - sum) < 1e-6 * (double)n;
  printf("%ld places, the first is %.6f\n", n, creal(spectrum[0]));
  free(signal);
  free(spectrum);
  free(back);
  return finish(holds, seconds);
}
