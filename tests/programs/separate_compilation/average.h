#ifndef AVERAGE_H
#define AVERAGE_H

/* Both files that include this have a copy of the region; the report must show one. */
static inline double average(const double *values, int count)
{
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < count; i++)
    sum += values[i];
  return sum / count;
}

void smooth(double *values, double *scratch, int count);

#endif
