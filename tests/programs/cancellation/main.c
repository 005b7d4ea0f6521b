#include <omp.h>
#include <stdio.h>

/* Each kind of construct that can be cancelled, also one inside another. */
static int cancelled_sections(void)
{
  int ran = 0;
#pragma omp parallel num_threads(1)
#pragma omp sections
  {
    {
#pragma omp atomic
      ran++;
    }
#pragma omp section
    {
#pragma omp cancel sections
      ran = 100;
    }
#pragma omp section
    ran = 200;
  }
  return ran;
}

static int cancelled_taskgroup(void)
{
  int ran = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    {
#pragma omp task shared(ran) if (0)
      {
#pragma omp cancel taskgroup
        ran += 10;
      }
#pragma omp task shared(ran)
      ran += 100; /* never: the group is cancelled before it is created */
    }
    ran++;
  }
  return ran;
}

int main(void)
{
  int before = 0, behind = 0, inner = 0;
#pragma omp parallel num_threads(2)
  {
    /* The loop is left, the region around it is not. */
#pragma omp for schedule(static)
    for (int i = 0; i < 8; i++) {
#pragma omp critical(count)
      before++;
#pragma omp cancel for
      behind = 1;
    }
    /* Threads 1 and 2 wait for thread 0, which never comes. */
#pragma omp parallel num_threads(3)
    {
#pragma omp cancel parallel if (omp_get_thread_num() == 0)
#pragma omp barrier
      inner = 1;
    }
#pragma omp cancellation point parallel
#pragma omp atomic
    before++;
  }
  printf("%d %d %d\n", before, behind, inner);
  printf("%d %d\n", cancelled_sections(), cancelled_taskgroup());

  int found = 0, calls = 0;
#pragma omp parallel num_threads(1)
  {
#pragma omp for
    for (int i = 0; i < 10; i++) {
#pragma omp cancellation point for
      if (i % 2)
        continue;
      calls++;
      if (i == 4) {
        found = i;
#pragma omp cancel for
      }
    }
#pragma omp single
    calls += 100;
  }
  printf("%d %d\n", found, calls);
  return 0;
}
