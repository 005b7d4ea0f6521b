// Untied tasks that wait for children: clang's runtime moves them between threads.
#include "pomp.h"

#include <stdio.h>

static POMPExtension extension = {POMP_EXTENSION, ""};
// Without the clause the library is told of a tied task, which then goes on elsewhere all the same.
static POMPExtension clauses = {POMP_EXTENSION, CLAUSES};

#define DESCRIBED(id, name, sub, line, extension) \
  static OMPRegDescr id = {name, sub, 0, "untied.c", line, line, line + 5, line + 5, 0, (OMPRegDescr *)&extension}
#define REGION(id, name, sub, line) DESCRIBED(id, name, sub, line, extension)
REGION(parallel, "parallel", "", 10);
REGION(single, "single", "", 20);
DESCRIBED(untied, "task", "", 30, clauses);
REGION(child, "task", "", 40);
REGION(taskwait, "taskwait", "", 50);
REGION(work, "region", "work", 60);

static volatile double sink;
static void spin(int n) {
  POMP_Begin(&work, 0);
  double x = 0;
  for (int i = 0; i < n * 100; i++) x += i * .5;
  sink = x;
  POMP_End(&work, 0);
}

int main(void) {
  long team, id;
  POMP_Parallel_fork(&parallel, &team);
#pragma omp parallel firstprivate(team) private(id)
  {
    POMP_Parallel_begin(&parallel, team);
    POMP_Single_enter(&single);
#pragma omp single nowait
    {
      POMP_Single_begin(&single);
      for (int i = 0; i < 100; i++) {
        POMP_Task_create_begin(&untied, &id);
#pragma omp task untied firstprivate(id, i)
        {
          POMP_Task_begin(&untied, id);
          for (int j = 0; j < 4; j++) {
            long inner;
            POMP_Task_create_begin(&child, &inner);
#pragma omp task firstprivate(inner, i, j)
            {
              POMP_Task_begin(&child, inner);
              spin(i % 5 + j);
              POMP_Task_end(&child, inner);
            }
            POMP_Task_create_end(&child, inner);
            POMP_Task_resume(&untied, id);
            POMP_Taskwait_enter(&taskwait);
#pragma omp taskwait
            POMP_Taskwait_exit(&taskwait);
            POMP_Task_resume(&untied, id);
            spin(1);
          }
          POMP_Task_end(&untied, id);
        }
        POMP_Task_create_end(&untied, id);
      }
      POMP_Single_end(&single);
    }
    POMP_Barrier_enter(&single);
#pragma omp barrier
    POMP_Barrier_exit(&single);
    POMP_Single_exit(&single);
    POMP_Parallel_end(&parallel, team);
  }
  POMP_Parallel_join(&parallel, team);
  printf("done\n");
  return 0;
}
