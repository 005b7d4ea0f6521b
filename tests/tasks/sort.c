/* Merge sort whose merges are parallel too: the larger half is cut in its middle, the smaller one where
   that value belongs. */
#include "kernel.h"
#include <string.h>

#define SMALL 32
#define CUTOFF 512

static void insertion_sort(int *values, long n)
{
  for (long i = 1; i < n; i++) {
    int value = values[i];
    long at = i;
    for (; at > 0 && values[at - 1] > value; at--)
      values[at] = values[at - 1];
    values[at] = value;
  }
}

/* How many of the sorted values are below `value`. */
static long below(const int *values, long n, int value)
{
  long from = 0;
  while (n > 0) {
    long half = n / 2;
    if (values[from + half] < value) {
      from += half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  return from;
}

static void merge_serially(const int *a, long na, const int *b, long nb, int *to)
{
  while (na > 0 && nb > 0) {
    if (*b < *a) {
      *to++ = *b++;
      nb--;
    } else {
      *to++ = *a++;
      na--;
    }
  }
  memcpy(to, a, (size_t)na * sizeof *a);
  memcpy(to + na, b, (size_t)nb * sizeof *b);
}

static void merge(const int *a, long na, const int *b, long nb, int *to)
{
  long limit = SMALL;
#ifdef MANUAL
  limit = CUTOFF;
#endif
  if (na < nb) {
    merge(b, nb, a, na, to);
    return;
  }
  if (na + nb <= limit) {
    merge_serially(a, na, b, nb, to);
    return;
  }
  long cut = na / 2, other = below(b, nb, a[cut]);
#if defined(IF_CLAUSE)
#pragma omp task untied if (na > CUTOFF)
#elif defined(FINAL)
#pragma omp task untied final(na <= CUTOFF)
#else
#pragma omp task untied
#endif
  merge(a, cut, b, other, to);
#if defined(IF_CLAUSE)
#pragma omp task untied if (na > CUTOFF)
#elif defined(FINAL)
#pragma omp task untied final(na <= CUTOFF)
#else
#pragma omp task untied
#endif
  merge(a + cut, na - cut, b + other, nb - other, to + cut + other);
#pragma omp taskwait
}

/* Sorts the values where they are; `scratch` is as large. */
static void sort(int *values, int *scratch, long n)
{
  long limit = SMALL;
#ifdef MANUAL
  limit = CUTOFF;
#endif
  if (n <= SMALL) {
    insertion_sort(values, n);
    return;
  }
  long half = n / 2;
  if (n <= limit) {
    sort(values, scratch, half);
    sort(values + half, scratch + half, n - half);
    merge_serially(values, half, values + half, n - half, scratch);
    memcpy(values, scratch, (size_t)n * sizeof *values);
    return;
  }
#if defined(IF_CLAUSE)
#pragma omp task untied if (n > CUTOFF)
#elif defined(FINAL)
#pragma omp task untied final(n <= CUTOFF)
#else
#pragma omp task untied
#endif
  sort(values, scratch, half);
#if defined(IF_CLAUSE)
#pragma omp task untied if (n > CUTOFF)
#elif defined(FINAL)
#pragma omp task untied final(n <= CUTOFF)
#else
#pragma omp task untied
#endif
  sort(values + half, scratch + half, n - half);
#pragma omp taskwait
  merge(values, half, values + half, n - half, scratch);
  memcpy(values, scratch, (size_t)n * sizeof *values);
}

int main(int argc, char **argv)
{
  long n = size_or(argc, argv, 5000), sum = 0;
  int *values = malloc((size_t)n * sizeof *values), *scratch = malloc((size_t)n * sizeof *values);
  unsigned state = 1;
  for (long i = 0; i < n; i++) {
    state = state * 1664525u + 1013904223u;
    values[i] = (int)(state >> 8);
    sum += values[i];
  }
  double begin = now_s();
#pragma omp parallel
#pragma omp single
  sort(values, scratch, n);
  double seconds = now_s() - begin;
  int holds = 1;
  for (long i = 0; i < n; i++) {
    sum -= values[i];
    holds &= i == 0 || values[i - 1] <= values[i];
  }
  printf("%ld values from %d to %d\n", n, values[0], values[n - 1]);
  free(values);
  free(scratch);
  return finish(holds && sum == 0, seconds);
}
