#include "average.h"

/* Orphaned: the loop binds to the region of whoever calls. */
void smooth(double *values, double *scratch, int count)
{
#pragma omp for
  for (int i = 1; i < count - 1; i++)
    scratch[i] = (values[i - 1] + values[i] + values[i + 1]) / 3;
#pragma omp for nowait
  for (int i = 1; i < count - 1; i++)
    values[i] = scratch[i];
}

double flatness(const double *values, int count)
{
  return average(values, count / 2) - average(values + count / 2, count - count / 2);
}
