// Constructs of OpenMP 3.1 to 5.2 a known number of times, as the instrumenter writes them.
#include "pomp.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define ITERATIONS 40
#define REGION(id, name, line, clauses)                              \
  static POMPExtension id##_more = {POMP_EXTENSION, clauses};        \
  static OMPRegDescr id = {name, "", 0, "newer.c", line, line,       \
                           line + 5, line + 5, 0, (OMPRegDescr *)&id##_more}
REGION(parallel, "parallel", 10, "");
REGION(loop, "for", 20, "ordered schedule(static,1)");
REGION(ordered, "ordered", 22, "");
REGION(doacross, "for", 30, "ordered(1)");
REGION(sink, "ordered", 31, "depend(sink:i-1)");
REGION(source, "ordered", 32, "depend(source)");
REGION(flush, "flush", 40, "");
REGION(timed, "flush", 41, "timed");
REGION(masked, "masked", 50, "");
REGION(scope, "scope", 60, "barrier_included");
REGION(taskgroup, "taskgroup", 70, "");
REGION(task, "task", 72, "");
REGION(taskyield, "taskyield", 74, "");
REGION(taskloop, "taskloop", 80, "grainsize(5)");
REGION(included, "taskloop", 90, "grainsize(5)");
REGION(final, "task", 88, "final(1)");
REGION(single, "single", 95, "");
REGION(detached, "task", 100, "detach(event)");
REGION(chunked, "for", 110, "schedule(static,5)");
REGION(cancelled, "for", 120, "barrier_included");
REGION(cancel, "cancel", 122, "");
REGION(point, "cancellation point", 123, "");
REGION(target, "target enter data", 130, "");
REGION(teams, "teams", 140, "");
REGION(distribute, "distribute", 141, "");
REGION(function, "region", 150, "function");

static volatile double sinkhole;
static void spin(int n) {
  POMP_Begin(&function, 0);
  double x = 0;
  for (int i = 0; i < n; i++) x += i * .5;
  sinkhole = x;
  POMP_End(&function, 0);
}

// What the instrumenter leaves to a cleanup: `continue` and `cancel` go past no text.
struct guard {
  OMPRegDescr *d;
  long id;
};
static void end_taskloop(struct guard *g) { POMP_Taskloop_end(g->d, g->id); }

static void ordered_loops(void) {
  POMP_For_enter(&loop, -1);
#pragma omp for ordered schedule(static, 1) nowait
  for (int i = 0; i < ITERATIONS; i++) {
    POMP_Ordered_enter(&ordered);
#pragma omp ordered
    {
      POMP_Ordered_begin(&ordered);
      spin(20);
      POMP_Ordered_end(&ordered);
    }
    POMP_Ordered_exit(&ordered);
  }
  POMP_Barrier_enter(&loop);
#pragma omp barrier
  POMP_Barrier_exit(&loop);
  POMP_For_exit(&loop);
  POMP_For_enter(&doacross, -1);
#pragma omp for ordered(1) nowait
  for (int i = 0; i < ITERATIONS; i++) {
    POMP_Ordered_enter(&sink);
#pragma omp ordered depend(sink : i - 1)
    POMP_Ordered_exit(&sink);
    spin(10);
    POMP_Ordered_enter(&source);
#pragma omp ordered depend(source)
    POMP_Ordered_exit(&source);
  }
  POMP_Barrier_enter(&doacross);
#pragma omp barrier
  POMP_Barrier_exit(&doacross);
  POMP_For_exit(&doacross);
}

static void taskloop_of(OMPRegDescr *d, int *done) {
  long id;
  POMP_Taskloop_enter(d, &id);
  long task = 0;
#pragma omp taskloop grainsize(5) firstprivate(id, task) shared(done)
  for (int i = 0; i < ITERATIONS; i++) {
    POMP_Taskloop_begin(d, id, &task);
    struct guard g __attribute__((cleanup(end_taskloop))) = {d, task};
    if (i % 3 == 0) continue;
    spin(10);
#pragma omp atomic
    (*done)++;
  }
  POMP_Taskloop_exit(d, id);
}

static void tasks(int *done) {
  long id;
  POMP_Taskgroup_enter(&taskgroup);
#pragma omp taskgroup
  {
    POMP_Taskgroup_begin(&taskgroup);
    for (int i = 0; i < 10; i++) {
      POMP_Task_create_begin(&task, &id);
#pragma omp task firstprivate(id)
      {
        POMP_Task_begin(&task, id);
        spin(20);
        POMP_Taskyield_enter(&taskyield);
#pragma omp taskyield
        POMP_Taskyield_exit(&taskyield);
        POMP_Task_end(&task, id);
      }
      POMP_Task_create_end(&task, id);
    }
    POMP_Taskgroup_end(&taskgroup);
  }
  POMP_Taskgroup_exit(&taskgroup);
  taskloop_of(&taskloop, done);
  POMP_Task_create_begin(&final, &id);
#pragma omp task final(1) firstprivate(id) shared(done)
  {
    POMP_Task_begin(&final, id);
    taskloop_of(&included, done);
    POMP_Task_end(&final, id);
  }
  POMP_Task_create_end(&final, id);
  omp_event_handle_t event;
  POMP_Task_create_begin(&detached, &id);
#pragma omp task detach(event) firstprivate(id)
  {
    POMP_Task_begin(&detached, id);
    spin(5);
    POMP_Task_end(&detached, id);
  }
  POMP_Task_create_end(&detached, id);
  spin(100);
  omp_fulfill_event(event);
#pragma omp taskwait
}

static void chunks(void) {
  POMP_For_enter(&chunked, -1);
#pragma omp for schedule(static, 5) nowait
  for (int i = 0; i < ITERATIONS; i++) {
    POMP_Iteration_begin(&chunked, i, 1);
    spin(5);
    POMP_Iteration_end(&chunked);
  }
  POMP_Barrier_enter(&chunked);
#pragma omp barrier
  POMP_Barrier_exit(&chunked);
  POMP_For_exit(&chunked);
}

// Cancelled before any end event of the body, as in Fortran.
static void cancels(void) {
  POMP_For_enter(&cancelled, -1);
#pragma omp for
  for (int i = 0; i < ITERATIONS; i++) {
    POMP_Begin(&function, 0);
    POMP_Cancel(&cancel);
#pragma omp cancel for
    POMP_Cancellation_point(&point);
#pragma omp cancellation point for
    POMP_End(&function, 0);
  }
  POMP_For_exit(&cancelled);
}

static void every_thread(int *done) {
  ordered_loops();
  POMP_Flush_enter(&flush);
#pragma omp flush
  POMP_Flush_exit(&flush);
  POMP_Flush_enter(&timed);
#pragma omp flush
  POMP_Flush_exit(&timed);
#pragma omp masked
  {
    POMP_Masked_begin(&masked);
    spin(10);
    POMP_Masked_end(&masked);
  }
  POMP_Scope_enter(&scope);
  POMP_Scope_begin(&scope);
  spin(10);
  POMP_Scope_end(&scope);
#pragma omp barrier
  POMP_Scope_exit(&scope);
  POMP_Single_enter(&single);
#pragma omp single nowait
  {
    POMP_Single_begin(&single);
    tasks(done);
    POMP_Single_end(&single);
  }
  POMP_Barrier_enter(&single);
#pragma omp barrier
  POMP_Barrier_exit(&single);
  POMP_Single_exit(&single);
  chunks();
  cancels();
}

int main(void) {
  int done = 0, data[4] = {0};
  long team;
  POMP_Target_enter(&target);
#pragma omp target enter data map(to : data)
  POMP_Target_exit(&target);
  POMP_Parallel_fork(&parallel, &team);
#pragma omp parallel firstprivate(team)
  {
    POMP_Parallel_begin(&parallel, team);
    every_thread(&done);
    POMP_Parallel_end(&parallel, team);
  }
  POMP_Parallel_join(&parallel, team);
  POMP_Teams_enter(&teams);
#pragma omp teams num_teams(2) thread_limit(2)
  {
    POMP_Distribute_enter(&distribute);
#pragma omp distribute
    for (int i = 0; i < 4; i++) {
      spin(10);
      long inner;
      POMP_Parallel_fork(&parallel, &inner);
#pragma omp parallel firstprivate(inner)
      {
        POMP_Parallel_begin(&parallel, inner);
        spin(10);
        POMP_Parallel_end(&parallel, inner);
      }
      POMP_Parallel_join(&parallel, inner);
    }
    POMP_Distribute_exit(&distribute);
  }
  POMP_Teams_exit(&teams);
  printf("%d\n", done);
  return 0;
}
