/* A measurement library for tests: counts what opens and what closes, checks that ids and
   descriptors arrive as they were given, and says so on stderr when the program ends. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct ompregdescr {
    char *name; char *sub_name; int num_sections; char *file_name;
    int begin_line1, begin_lineN, end_line1, end_lineN;
    void *data; struct ompregdescr *next;
} OMPRegDescr;

enum { TABLE = 64 };
static struct { const char *pair; long opens, closes; } counts[TABLE];
static long errors, next_id;

static void count(const char *pair, int open) {
    for (int i = 0; i < TABLE; i++) {
        if (!counts[i].pair) {
            const char *none = NULL;
            __atomic_compare_exchange_n(&counts[i].pair, &none, pair, 0, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST);
        }
        if (strcmp(counts[i].pair, pair) == 0) {
            __atomic_add_fetch(open ? &counts[i].opens : &counts[i].closes, 1, __ATOMIC_SEQ_CST);
            return;
        }
    }
}

static void check(OMPRegDescr *d, const char *name) {
    /* A descriptor's name contains the routine's word; barriers belong to any construct. */
    char word[32];
    if (!d || !d->name) { __atomic_add_fetch(&errors, 1, __ATOMIC_SEQ_CST); return; }
    strncpy(word, name, sizeof word - 1);
    word[31] = 0;
    if (word[0] >= 'A' && word[0] <= 'Z') word[0] += 'a' - 'A';
    if (!strstr(d->name, word) && strcmp(word, "barrier") != 0 && strcmp(word, "region") != 0) {
        fprintf(stderr, "%s for a descriptor `%s`\n", name, d->name);
        __atomic_add_fetch(&errors, 1, __ATOMIC_SEQ_CST);
    }
    const char **extension = (const char **)d->next;
    if (d->end_line1 < d->begin_line1 || d->data || !extension || strcmp(extension[0], "pompeii 1"))
        __atomic_add_fetch(&errors, 1, __ATOMIC_SEQ_CST);
    if (getenv("STUB_VERBOSE"))
        fprintf(stderr, "%s of %s (%s) %d sections %s:%d-%d:%d-%d %s\n", name, d->name,
                d->sub_name, d->num_sections, d->file_name, d->begin_line1, d->begin_lineN,
                d->end_line1, d->end_lineN, extension[1]);
}

static void known(long id) {
    if (id < 1 || id > __atomic_load_n(&next_id, __ATOMIC_SEQ_CST)) {
        __atomic_add_fetch(&errors, 1, __ATOMIC_SEQ_CST);
        fprintf(stderr, "id %ld was never given out\n", id);
    }
}

static void report(void) {
    for (int i = 0; i < TABLE && counts[i].pair; i++) {
        if (counts[i].opens != counts[i].closes) errors++;
        if (counts[i].opens != counts[i].closes || getenv("STUB_VERBOSE"))
            fprintf(stderr, "%s: %ld opened, %ld closed\n", counts[i].pair, counts[i].opens,
                    counts[i].closes);
    }
    fprintf(stderr, errors ? "stub: %ld errors\n" : "stub: balanced\n", errors);
}
__attribute__((constructor)) static void start(void) { atexit(report); }

#define PAIR(name, first, last) \
    void POMP_##name##_##first(OMPRegDescr *d) { check(d, #name); count(#name " " #first, 1); } \
    void POMP_##name##_##last(OMPRegDescr *d) { check(d, #name); count(#name " " #first, 0); }
#define WITH_ID(name, first, last) \
    void POMP_##name##_##first(OMPRegDescr *d, long id) { check(d, #name); known(id); count(#name " " #first, 1); } \
    void POMP_##name##_##last(OMPRegDescr *d, long id) { check(d, #name); known(id); count(#name " " #first, 0); }
#define GIVES_ID(name, first, last) \
    void POMP_##name##_##first(OMPRegDescr *d, long *id) { check(d, #name); *id = __atomic_add_fetch(&next_id, 1, __ATOMIC_SEQ_CST); count(#name " " #first, 1); } \
    void POMP_##name##_##last(OMPRegDescr *d, long id) { check(d, #name); known(id); count(#name " " #first, 0); }

GIVES_ID(Parallel, fork, join)
WITH_ID(Parallel, begin, end)
GIVES_ID(Task, create_begin, create_end)
WITH_ID(Task, begin, end)
void POMP_Task_resume(OMPRegDescr *d, long id) { check(d, "task"); known(id); }
static void items(const char *kinds, const volatile void *const *at) {
  for (; *kinds; kinds++) {
    if (*kinds != '?' && *at++ == 0) abort();
  }
}
void POMP_Task_depend(OMPRegDescr *d, long id, const char *kinds, const volatile void *const *at) {
  check(d, "task");
  known(id);
  items(kinds, at);
}
PAIR(Do, enter, exit)
PAIR(Sections, enter, exit)
PAIR(Section, begin, end)
PAIR(Workshare, enter, exit)
PAIR(Single, enter, exit)
PAIR(Single, begin, end)
PAIR(Master, begin, end)
PAIR(Critical, enter, exit)
PAIR(Critical, begin, end)
PAIR(Atomic, enter, exit)
PAIR(Barrier, enter, exit)
PAIR(Taskwait, enter, exit)
void POMP_Taskwait_depend_enter(OMPRegDescr *d, const char *kinds, const volatile void *const *at) {
  items(kinds, at);
  POMP_Taskwait_enter(d);
}
void POMP_Taskwait_depend_exit(OMPRegDescr *d) { POMP_Taskwait_exit(d); }
#define ONE(name) void POMP_##name(OMPRegDescr *d) { check(d, #name); }
PAIR(Flush, enter, exit)
PAIR(Ordered, enter, exit)
PAIR(Ordered, begin, end)
PAIR(Masked, begin, end)
PAIR(Scope, enter, exit)
PAIR(Scope, begin, end)
PAIR(Loop, enter, exit)
PAIR(Teams, enter, exit)
PAIR(Distribute, enter, exit)
PAIR(Target, enter, exit)
void POMP_Target_depend_enter(OMPRegDescr *d, const char *kinds, const volatile void *const *at) {
  items(kinds, at);
  POMP_Target_enter(d);
}
PAIR(Taskgroup, enter, exit)
PAIR(Taskgroup, begin, end)
PAIR(Taskyield, enter, exit)
GIVES_ID(Taskloop, enter, exit)
ONE(Cancel)
void POMP_Cancellation_point(OMPRegDescr *d) { check(d, "cancellation point"); }

/* An iteration of a task goes on with its id; one that has none yet gets one. */
void POMP_Taskloop_begin(OMPRegDescr *d, long id, long *task) {
    check(d, "taskloop");
    known(id);
    if (*task) known(*task);
    else *task = __atomic_add_fetch(&next_id, 1, __ATOMIC_SEQ_CST);
    count("Taskloop begin", 1);
}
void POMP_Taskloop_end(OMPRegDescr *d, long task) {
    check(d, "taskloop");
    known(task);
    count("Taskloop begin", 0);
}

/* Iterations come in steps of their loop; the sum of their numbers is told. */
static long iterations;
void POMP_Iteration_begin(OMPRegDescr *d, long i, long step) {
    check(d, "do");
    __atomic_add_fetch(&iterations, step ? i / step : 0, __ATOMIC_SEQ_CST);
    count("Iteration begin", 1);
}
void POMP_Iteration_end(OMPRegDescr *d) { check(d, "do"); count("Iteration begin", 0); }

/* What a user region is given is the same at both ends. */
void POMP_Begin(OMPRegDescr *d, void *variable) {
    check(d, "region");
    if (variable) *(int *)variable += 1;
    count("region", 1);
}
void POMP_End(OMPRegDescr *d, void *variable) {
    check(d, "region");
    if (variable) *(int *)variable += 1;
    count("region", 0);
}
void POMP_Init(void) {}
void POMP_Finalize(void) {}
void POMP_On(void) {}
void POMP_Off(void) {}

/* Locks under the names of the POMP paper: what is set is counted, and so is a test that succeeds. */
#include <omp.h>
void POMP_Init_lock(void *lock) { omp_init_lock(lock); count("lock", 1); }
void POMP_Destroy_lock(void *lock) { omp_destroy_lock(lock); count("lock", 0); }
void POMP_Set_lock(void *lock) { omp_set_lock(lock); count("held", 1); }
void POMP_Unset_lock(void *lock) { count("held", 0); omp_unset_lock(lock); }
int POMP_Test_lock(void *lock) {
    int set = omp_test_lock(lock);
    if (set) count("held", 1);
    return set;
}
void POMP_Init_nest_lock(void *lock) { omp_init_nest_lock(lock); count("nest lock", 1); }
void POMP_Destroy_nest_lock(void *lock) { omp_destroy_nest_lock(lock); count("nest lock", 0); }
void POMP_Set_nest_lock(void *lock) { omp_set_nest_lock(lock); count("nested", 1); }
void POMP_Unset_nest_lock(void *lock) { count("nested", 0); omp_unset_nest_lock(lock); }
int POMP_Test_nest_lock(void *lock) {
    int depth = omp_test_nest_lock(lock);
    if (depth) count("nested", 1);
    return depth;
}
