#include <stdio.h>

/* Directives and braces that come out of macros: the text alone does not show them. */
#define OMP(x) _Pragma(#x)
#define PARALLEL_LOOP(variable) OMP(omp parallel for reduction(+ : variable) num_threads(2))
#define LOCKED OMP(omp critical(locked))
#define BEGIN {
#define END }
#if defined(SERIAL)
#define TEAM
#else
#define TEAM OMP(omp parallel num_threads(THREADS))
#endif
#define THREADS 3

int main(void)
{
  int sum = 0, members = 0;
  PARALLEL_LOOP(sum)
  for (int i = 0; i < 4; i++)
    sum += i;
  TEAM
  BEGIN
    LOCKED
    members++;
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < 3; i++) BEGIN
      OMP(omp atomic) sum += i;
    END
  END
  printf("%d %d\n", sum, members);
  return 0;
}
