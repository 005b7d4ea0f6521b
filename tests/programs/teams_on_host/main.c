#include <stdio.h>

/* A league of teams on the host: nothing tells its initial threads apart but their numbers. */
#define N 24

static int sum_of(const int *values)
{
  int sum = 0;
  for (int i = 0; i < N; i++)
    sum += values[i];
  return sum;
}

static void share(int *values)
{
#pragma omp distribute
  for (int i = 0; i < N; i++)
    values[i]++;
}

/* LLVM's runtime has no more threads for all teams together than there are cores. */
int main(void)
{
  int values[N] = {0}, members = 0, total = 0;
#pragma omp teams num_teams(2) thread_limit(1) reduction(+ : members)
  {
    share(values);
#pragma omp parallel num_threads(1)
    members++;
#pragma omp distribute dist_schedule(static, 4)
    for (int i = 0; i < N; i += 4) {
#pragma omp parallel for num_threads(1)
      for (int j = i; j < i + 4; j++)
        values[j] += j;
    }
#pragma omp distribute parallel for
    for (int i = 0; i < N; i++)
      values[i] += 2;
#pragma omp distribute simd
    for (int i = 0; i < N; i++)
      values[i] += 3;
  }

#pragma omp teams num_teams(1) thread_limit(2) shared(members)
#pragma omp parallel num_threads(2)
  {
#pragma omp atomic
    members++;
  }

#pragma omp teams distribute num_teams(2) thread_limit(1)
  for (int i = 0; i < N; i++)
#pragma omp critical
    total += i;

#pragma omp teams distribute parallel for num_teams(2) thread_limit(1) reduction(+ : total)
  for (int i = 0; i < N; i++)
    total += i;

#pragma omp teams loop num_teams(1)
  for (int i = 0; i < N; i++)
    values[i] += 5;

  printf("%d %d %d\n", members, total, sum_of(values));
  return 0;
}
