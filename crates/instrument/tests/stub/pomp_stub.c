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

enum { KINDS = 16 };
static const char *const kind_names[KINDS] = {
    "region",   "fork",    "parallel", "loop",    "sections",      "section", "single", "single sblock",
    "master",   "critical", "critical sblock", "atomic", "barrier", "create",  "task",   "taskwait"};
static atomic_long opens[KINDS], closes[KINDS], resumes, unknown_ids, next_id = 1;

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

#define PAIR(open, close, kind)                                \
  void POMP_##open(OMPRegDescr *d) { open_kind(d, kind); }     \
  void POMP_##close(OMPRegDescr *d) { close_kind(d, kind); }

void POMP_Init(void) {}
void POMP_Finalize(void) {}
void POMP_On(void) {}
void POMP_Off(void) {}
PAIR(Begin, End, 0)
PAIR(For_enter, For_exit, 3)
PAIR(Do_enter, Do_exit, 3)
PAIR(Workshare_enter, Workshare_exit, 3)
PAIR(Sections_enter, Sections_exit, 4)
PAIR(Section_begin, Section_end, 5)
PAIR(Single_enter, Single_exit, 6)
PAIR(Single_begin, Single_end, 7)
PAIR(Master_begin, Master_end, 8)
PAIR(Critical_enter, Critical_exit, 9)
PAIR(Critical_begin, Critical_end, 10)
PAIR(Atomic_enter, Atomic_exit, 11)
PAIR(Barrier_enter, Barrier_exit, 12)
PAIR(Taskwait_enter, Taskwait_exit, 15)

void POMP_Parallel_fork(OMPRegDescr *d, long *team) { open_kind(d, 1); *team = atomic_fetch_add(&next_id, 1); }
void POMP_Parallel_begin(OMPRegDescr *d, long team) { use_id(team); open_kind(d, 2); }
void POMP_Parallel_end(OMPRegDescr *d, long team) { use_id(team); close_kind(d, 2); }
void POMP_Parallel_join(OMPRegDescr *d, long team) { use_id(team); close_kind(d, 1); }
void POMP_Task_create_begin(OMPRegDescr *d, long *task) { open_kind(d, 13); *task = atomic_fetch_add(&next_id, 1); }
void POMP_Task_create_end(OMPRegDescr *d, long task) { use_id(task); close_kind(d, 13); }
void POMP_Task_begin(OMPRegDescr *d, long task) { use_id(task); open_kind(d, 14); }
void POMP_Task_end(OMPRegDescr *d, long task) { use_id(task); close_kind(d, 14); }
void POMP_Task_resume(OMPRegDescr *d, long task) { check(d); use_id(task); atomic_fetch_add(&resumes, 1); }
