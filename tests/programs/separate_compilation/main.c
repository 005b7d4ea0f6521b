#include <stdio.h>

#include "average.h"

double flatness(const double *values, int count);

int main(void)
{
  enum { COUNT = 96, STEPS = 3 };
  double values[COUNT], scratch[COUNT];
  for (int i = 0; i < COUNT; i++)
    values[i] = i % 7;
#pragma omp parallel
  for (int step = 0; step < STEPS; step++) {
    smooth(values, scratch, COUNT);
#pragma omp barrier
  }
  printf("%.6f %.6f\n", average(values, COUNT), flatness(values, COUNT));
  return 0;
}
