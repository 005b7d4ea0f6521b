#include <omp.h>
#include <stdio.h>

/* Who says how many threads a team has: the list in the environment, a routine, a limit, the
   runtime. A tool that sets the number itself would get it wrong in all of them. */
static int members(void)
{
  int count = 0;
#pragma omp parallel reduction(+ : count)
  count++;
  return count;
}

int main(void)
{
  int outer = 0, inner = 0, limited = 0;
#pragma omp parallel reduction(+ : outer, inner)
  {
    outer++;
#pragma omp parallel reduction(+ : inner)
    inner++;
  }
  omp_set_num_threads(2);
  printf("list %d %d, routine %d %d", outer, inner, members(), omp_get_max_threads());

  /* No routine that asks for numbers of threads may be called directly in teams. */
#pragma omp teams num_teams(1) thread_limit(2) shared(limited)
#pragma omp parallel reduction(+ : limited)
  limited++;
  printf(", limited %d", limited <= 2);

  omp_set_dynamic(1);
  printf(", dynamic %d %d\n", members() <= 2, omp_get_dynamic());
  return 0;
}
