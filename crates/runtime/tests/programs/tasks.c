// fib(16) with tasks that an `if` makes undeferred near the leaves, then a tree of nested parallel
// regions inside tasks.
#include "pomp.h"

static POMPExtension extension = {POMP_EXTENSION, ""};
#include <omp.h>
#include <stdio.h>

#define REGION(id, name, sub, line) \
  static OMPRegDescr id = {name, sub, 0, "tasks.c", line, line, line + 5, line + 5, 0, (OMPRegDescr *)&extension}
REGION(parallel, "parallel", "", 10);
REGION(single, "single", "", 20);
REGION(task, "task", "if", 30);
REGION(taskwait, "taskwait", "", 40);
REGION(outer, "parallel", "", 50);
REGION(nested, "task", "", 60);
REGION(inner, "parallel", "", 70);
REGION(fine, "region", "fine", 80);

static int fib(int n) {
  if (n < 2) return n;
  int a, b;
  long id;
  POMP_Task_create_begin(&task, &id);
#pragma omp task shared(a) firstprivate(id, n) if (n > 8)
  {
    POMP_Task_begin(&task, id);
    a = fib(n - 1);
    POMP_Task_end(&task, id);
  }
  POMP_Task_create_end(&task, id);
  b = fib(n - 2);
  POMP_Taskwait_enter(&taskwait);
#pragma omp taskwait
  POMP_Taskwait_exit(&taskwait);
  return a + b;
}

static void nest(void) {
  long id, team;
  for (int i = 0; i < 6; i++) {
    POMP_Task_create_begin(&nested, &id);
#pragma omp task firstprivate(id) private(team)
    {
      POMP_Task_begin(&nested, id);
      POMP_Parallel_fork(&inner, &team);
#pragma omp parallel num_threads(2) firstprivate(team)
      {
        POMP_Parallel_begin(&inner, team);
        POMP_Begin(&fine, 0);
        POMP_End(&fine, 0);
        POMP_Parallel_end(&inner, team);
      }
      POMP_Parallel_join(&inner, team);
      POMP_Task_end(&nested, id);
    }
    POMP_Task_create_end(&nested, id);
  }
}

int main(void) {
  int result = 0;
  long team;
  omp_set_max_active_levels(2);
  POMP_Parallel_fork(&parallel, &team);
#pragma omp parallel firstprivate(team)
  {
    POMP_Parallel_begin(&parallel, team);
    POMP_Single_enter(&single);
#pragma omp single nowait
    {
      POMP_Single_begin(&single);
      result = fib(16);
      POMP_Single_end(&single);
    }
    POMP_Barrier_enter(&single);
#pragma omp barrier
    POMP_Barrier_exit(&single);
    POMP_Single_exit(&single);
    POMP_Parallel_end(&parallel, team);
  }
  POMP_Parallel_join(&parallel, team);
  POMP_Parallel_fork(&outer, &team);
#pragma omp parallel firstprivate(team)
  {
    POMP_Parallel_begin(&outer, team);
    nest();
    POMP_Parallel_end(&outer, team);
  }
  POMP_Parallel_join(&outer, team);
  printf("%d\n", result);
  return 0;
}
