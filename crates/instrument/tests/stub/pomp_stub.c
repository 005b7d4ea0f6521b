/* A measurement library for tests: counts what opens and what closes, checks the descriptors, and
   says so on standard error when the program ends. What a cancelled construct leaves open is closed
   when the enclosing region ends, as a real library does it. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct ompregdescr {
  char *name, *sub_name;
  int num_sections;
  char *file_name;
  int begin_line1, begin_lineN, end_line1, end_lineN;
  void *data;
  struct ompregdescr *next;
} OMPRegDescr;

/* Routines with the descriptor alone that open and close something. */
#define PAIRS(X)                                                                                \
  X(For_enter, For_exit) X(Do_enter, Do_exit) X(Workshare_enter, Workshare_exit)                \
  X(Sections_enter, Sections_exit) X(Section_begin, Section_end)                                \
  X(Single_enter, Single_exit) X(Single_begin, Single_end) X(Scope_enter, Scope_exit)           \
  X(Scope_begin, Scope_end) X(Master_begin, Master_end) X(Masked_begin, Masked_end)             \
  X(Critical_enter, Critical_exit) X(Critical_begin, Critical_end)                              \
  X(Ordered_enter, Ordered_exit) X(Ordered_begin, Ordered_end) X(Atomic_enter, Atomic_exit)     \
  X(Flush_enter, Flush_exit) X(Barrier_enter, Barrier_exit) X(Taskwait_enter, Taskwait_exit)    \
  X(Taskyield_enter, Taskyield_exit) X(Taskgroup_enter, Taskgroup_exit)                         \
  X(Taskgroup_begin, Taskgroup_end) X(Loop_enter, Loop_exit) X(Teams_enter, Teams_exit)         \
  X(Distribute_enter, Distribute_exit) X(Target_enter, Target_exit)
#define KIND(open, close) KIND_##open,
#define NAME(open, close) #open,
enum { PAIRS(KIND) REGION, FORK, PARALLEL, CREATE, TASK, TASKLOOP, ITERATION, CHUNK, KINDS };
static const char *const kind_names[KINDS] = {PAIRS(NAME) "Begin",         "Parallel_fork",
                                              "Parallel_begin",            "Task_create_begin",
                                              "Task_begin",                "Taskloop_enter",
                                              "Taskloop_begin",            "Iteration_begin"};
static atomic_long opens[KINDS], closes[KINDS], resumes, marks, unknown_ids, next_id = 1;

static void check(const OMPRegDescr *d) {
  if (!d || d->data || !d->next || strcmp(d->next->name, "pompeii 1") || d->begin_line1 < 1 || d->end_lineN < d->begin_line1 || !*d->name) {
    fprintf(stderr, "pomp: bad descriptor\n");
    abort();
  }
}

static void open_kind(const OMPRegDescr *d, int kind) { check(d); atomic_fetch_add(&opens[kind], 1); }
static void close_kind(const OMPRegDescr *d, int kind) { check(d); atomic_fetch_add(&closes[kind], 1); }
static void use_id(long id) { if (id < 1 || id >= next_id) atomic_fetch_add(&unknown_ids, 1); }

static void report(void) {
  const char *each = getenv("POMP_STUB_EACH");
  long all = 0, balanced = 1;
  for (int kind = 0; kind < KINDS; kind++) {
    if (opens[kind] != closes[kind]) balanced = 0;
    if ((each || opens[kind] != closes[kind]) && (opens[kind] || closes[kind]))
      fprintf(stderr, "pomp: %s %ld %ld\n", kind_names[kind], (long)opens[kind], (long)closes[kind]);
    all += opens[kind];
  }
  if (unknown_ids) balanced = 0;
  fprintf(stderr, "pomp: %s %ld\n", balanced ? "balanced" : "UNBALANCED", all);
}
__attribute__((constructor)) static void start(void) { atexit(report); }

#define PAIR(open, close)                                             \
  void POMP_##open(OMPRegDescr *d) { open_kind(d, KIND_##open); }     \
  void POMP_##close(OMPRegDescr *d) { close_kind(d, KIND_##open); }
PAIRS(PAIR)

void POMP_Init(void) {}
void POMP_Finalize(void) {}
void POMP_On(void) {}
void POMP_Off(void) {}
void POMP_Begin(OMPRegDescr *d, void *variable) { (void)variable; open_kind(d, REGION); }
void POMP_End(OMPRegDescr *d, void *variable) { (void)variable; close_kind(d, REGION); }
static void make(OMPRegDescr *d, int kind, long *id) { open_kind(d, kind); *id = atomic_fetch_add(&next_id, 1); }
static void begin(OMPRegDescr *d, int kind, long id) { use_id(id); open_kind(d, kind); }
static void end(OMPRegDescr *d, int kind, long id) { use_id(id); close_kind(d, kind); }
void POMP_Parallel_fork(OMPRegDescr *d, long *team) { make(d, FORK, team); }
void POMP_Parallel_begin(OMPRegDescr *d, long team) { begin(d, PARALLEL, team); }
void POMP_Parallel_end(OMPRegDescr *d, long team) { end(d, PARALLEL, team); }
void POMP_Parallel_join(OMPRegDescr *d, long team) { end(d, FORK, team); }
void POMP_Task_create_begin(OMPRegDescr *d, long *task) { make(d, CREATE, task); }
void POMP_Task_create_end(OMPRegDescr *d, long task) { end(d, CREATE, task); }
static void items(const char *kinds, const volatile void *const *at) {
  for (; *kinds; kinds++)
    if (*kinds != '?' && *at++ == 0) abort();
}
void POMP_Task_depend(OMPRegDescr *d, long task, const char *kinds, const volatile void *const *at) {
  check(d);
  use_id(task);
  items(kinds, at);
}
void POMP_Taskwait_depend_enter(OMPRegDescr *d, const char *kinds, const volatile void *const *at) {
  items(kinds, at);
  POMP_Taskwait_enter(d);
}
void POMP_Taskwait_depend_exit(OMPRegDescr *d) { POMP_Taskwait_exit(d); }
void POMP_Target_depend_enter(OMPRegDescr *d, const char *kinds, const volatile void *const *at) {
  items(kinds, at);
  POMP_Target_enter(d);
}
void POMP_Task_begin(OMPRegDescr *d, long task) { begin(d, TASK, task); }
void POMP_Task_end(OMPRegDescr *d, long task) { end(d, TASK, task); }
void POMP_Task_resume(OMPRegDescr *d, long task) { check(d); use_id(task); atomic_fetch_add(&resumes, 1); }
void POMP_Taskloop_enter(OMPRegDescr *d, long *id) { make(d, TASKLOOP, id); }
void POMP_Taskloop_exit(OMPRegDescr *d, long id) { end(d, TASKLOOP, id); }
void POMP_Taskloop_begin(OMPRegDescr *d, long id, long *task) {
  begin(d, ITERATION, id);
  if (!*task) *task = atomic_fetch_add(&next_id, 1);
  use_id(*task);
}
void POMP_Taskloop_end(OMPRegDescr *d, long task) { end(d, ITERATION, task); }
void POMP_Cancel(OMPRegDescr *d) { check(d); atomic_fetch_add(&marks, 1); }
void POMP_Cancellation_point(OMPRegDescr *d) { check(d); atomic_fetch_add(&marks, 1); }
void POMP_Iteration_begin(OMPRegDescr *d, long i, long step) { (void)i, (void)step; open_kind(d, CHUNK); }
void POMP_Iteration_end(OMPRegDescr *d) { close_kind(d, CHUNK); }
