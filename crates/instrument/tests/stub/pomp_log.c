/* A measurement library for tests: writes the name of each call to standard output, and how it is
   handed the ids: `team` and `task` are 1, 2, ... in the order in which they are made. */
#include <stdio.h>

typedef struct ompregdescr {
  char *name, *sub_name;
} OMPRegDescr;

static long teams, tasks;

#define PLAIN(routine) \
  void POMP_##routine(OMPRegDescr *d) { (void)d, printf(" " #routine); }
#define WITH_ID(routine) \
  void POMP_##routine(OMPRegDescr *d, long id) { (void)d, printf(" " #routine "=%ld", id); }
#define MAKING(routine, count) \
  void POMP_##routine(OMPRegDescr *d, long *id) { (void)d, printf(" " #routine "=%ld", *id = ++count); }
#define PAIR(open, close) PLAIN(open) PLAIN(close)
#define AROUND(construct) PAIR(construct##_enter, construct##_exit)
#define INSIDE(construct) PAIR(construct##_begin, construct##_end)
#define BOTH(construct) AROUND(construct) INSIDE(construct)

AROUND(For) AROUND(Do) AROUND(Workshare) AROUND(Sections) INSIDE(Section) BOTH(Single) BOTH(Scope)
INSIDE(Master) INSIDE(Masked) BOTH(Critical) BOTH(Ordered) AROUND(Atomic) AROUND(Flush)
AROUND(Barrier) AROUND(Taskwait) AROUND(Taskyield) BOTH(Taskgroup) AROUND(Loop) AROUND(Teams)
AROUND(Distribute) AROUND(Target) PLAIN(Cancel) PLAIN(Cancellation_point)
MAKING(Parallel_fork, teams) WITH_ID(Parallel_begin) WITH_ID(Parallel_end) WITH_ID(Parallel_join)
MAKING(Task_create_begin, tasks) WITH_ID(Task_begin) WITH_ID(Task_end) WITH_ID(Task_create_end)
void POMP_Task_depend(OMPRegDescr *d, long id, const char *kinds, const volatile void *const *at) {}
void POMP_Taskwait_depend_enter(OMPRegDescr *d, const char *kinds, const volatile void *const *at) {
  POMP_Taskwait_enter(d);
}
void POMP_Taskwait_depend_exit(OMPRegDescr *d) { POMP_Taskwait_exit(d); }
void POMP_Target_depend_enter(OMPRegDescr *d, const char *kinds, const volatile void *const *at) {
  POMP_Target_enter(d);
}
WITH_ID(Task_resume) MAKING(Taskloop_enter, tasks) WITH_ID(Taskloop_end) WITH_ID(Taskloop_exit)

void POMP_Taskloop_begin(OMPRegDescr *d, long id, long *task) {
  (void)d, printf(" Taskloop_begin=%ld,%ld", id, *task);
  if (!*task) *task = ++tasks;
}
void POMP_Iteration_begin(OMPRegDescr *d, long i, long step) { (void)d, printf(" Iteration_begin=%ld,%ld", i, step); }
PLAIN(Iteration_end)
void POMP_Begin(OMPRegDescr *d, void *variable) { printf(" Begin(%s)%s", d->sub_name, variable ? "+" : ""); }
void POMP_End(OMPRegDescr *d, void *variable) { printf(" End(%s)%s", d->sub_name, variable ? "+" : ""); }
void POMP_Init(void) { printf(" Init"); }
void POMP_Finalize(void) { printf(" Finalize"); }
void POMP_On(void) { printf(" On"); }
void POMP_Off(void) { printf(" Off"); }

/* Begins the line of a new program part. */
void log_part(const char *name) {
  teams = tasks = 0;
  printf("\n%s:", name);
}
