/* A POMP library as somebody else would write it: it knows the descriptor and the functions of the
   POMP paper (sections 3.3 to 3.5, 3.10) and nothing else. It hangs its timers on `data`, chains the
   descriptors by `next`, keeps what the user passes to a region, and prints TAU's two views at the
   end: time by construct, and time by region. */
#define _POSIX_C_SOURCE 200809L
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct ompregdescr {
  char *name, *sub_name;
  int num_sections;
  char *file_name;
  int begin_line1, begin_lineN, end_line1, end_lineN;
  void *data;
  struct ompregdescr *next;
} OMPRegDescr;

enum { FORK, PART, CONSTRUCT, BODY, BARRIER, REGION, EVENTS, DEPTH = 1000 };
static const char *const event_names[EVENTS] = {
    "fork/join", "begin/end", "enter/exit", "begin/end", "barrier enter/exit", "region begin/end"};

typedef struct {
  long calls[EVENTS];
  double seconds[EVENTS];
  void *user;
} Timers;

static OMPRegDescr *first;
static long lock_calls;
static int measuring = 1;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static __thread double started[DEPTH];
static __thread int depth;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static Timers *timers(OMPRegDescr *d) {
  Timers *own = __atomic_load_n(&d->data, __ATOMIC_ACQUIRE);
  if (own) return own;
  pthread_mutex_lock(&mutex);
  if (!d->data) {
    d->next = first;
    first = d;
    __atomic_store_n(&d->data, calloc(1, sizeof(Timers)), __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&mutex);
  return d->data;
}

static void start(OMPRegDescr *d) {
  timers(d);
  if (depth < DEPTH) started[depth] = now();
  depth++;
}

static void stop(OMPRegDescr *d, int event) {
  double seconds = --depth < DEPTH ? now() - started[depth] : 0;
  Timers *own = timers(d);
  pthread_mutex_lock(&mutex);
  own->calls[event] += measuring;
  own->seconds[event] += measuring ? seconds : 0;
  pthread_mutex_unlock(&mutex);
}

static void by_construct(const char *name, int event) {
  long calls = 0;
  double seconds = 0;
  for (OMPRegDescr *d = first; d; d = d->next)
    if (!strcmp(d->name, name)) {
      calls += timers(d)->calls[event];
      seconds += timers(d)->seconds[event];
    }
  if (calls) fprintf(stderr, "construct: %s %s [OpenMP] %ld calls %.6f s\n", name, event_names[event], calls, seconds);
}

static int is_first_of_its_name(const OMPRegDescr *d) {
  const OMPRegDescr *other = first;
  while (strcmp(other->name, d->name)) other = other->next;
  return other == d;
}

void POMP_Finalize(void) {
  for (OMPRegDescr *d = first; d; d = d->next)
    for (int event = 0; event < EVENTS; event++) {
      if (is_first_of_its_name(d)) by_construct(d->name, event);
      if (timers(d)->calls[event])
        fprintf(stderr, "region: %s %s [OpenMP location: file:%s <%d, %d>] %ld calls %.6f s %s\n", d->name, event_names[event],
                d->file_name, d->begin_line1, d->end_lineN, timers(d)->calls[event], timers(d)->seconds[event], d->sub_name);
    }
  for (OMPRegDescr *d = first; d; d = d->next)
    if (timers(d)->user) fprintf(stderr, "user: %s %d\n", d->sub_name, *(int *)timers(d)->user);
  fprintf(stderr, "locks: %ld\n", lock_calls);
  first = NULL;
}

void POMP_Init(void) { atexit(POMP_Finalize); }
__attribute__((constructor)) static void initialise(void) { POMP_Init(); }
void POMP_On(void) { measuring = 1; }
void POMP_Off(void) { measuring = 0; }

void POMP_Begin(OMPRegDescr *d, void *user) { start(d), timers(d)->user = user; }
void POMP_End(OMPRegDescr *d, void *user) { stop(d, REGION), timers(d)->user = user; }

#define PAIR(Name, open, close, event)                                  \
  void POMP_##Name##_##open(OMPRegDescr *d) { start(d); }               \
  void POMP_##Name##_##close(OMPRegDescr *d) { stop(d, event); }
PAIR(Parallel, fork, join, FORK)
PAIR(Parallel, begin, end, PART)
PAIR(Do, enter, exit, CONSTRUCT)
PAIR(For, enter, exit, CONSTRUCT)
PAIR(Workshare, enter, exit, CONSTRUCT)
PAIR(Sections, enter, exit, CONSTRUCT)
PAIR(Section, begin, end, BODY)
PAIR(Single, enter, exit, CONSTRUCT)
PAIR(Single, begin, end, BODY)
PAIR(Master, begin, end, BODY)
PAIR(Critical, enter, exit, CONSTRUCT)
PAIR(Critical, begin, end, BODY)
PAIR(Atomic, enter, exit, CONSTRUCT)
PAIR(Barrier, enter, exit, BARRIER)

#define LOCK(Name, type) \
  void POMP_Set_##Name(type *lock) { __atomic_fetch_add(&lock_calls, 1, __ATOMIC_RELAXED), omp_set_##Name(lock); } \
  void POMP_Unset_##Name(type *lock) { omp_unset_##Name(lock); }        \
  void POMP_Init_##Name(type *lock) { omp_init_##Name(lock); }          \
  void POMP_Destroy_##Name(type *lock) { omp_destroy_##Name(lock); }    \
  int POMP_Test_##Name(type *lock) { return omp_test_##Name(lock); }
LOCK(lock, omp_lock_t)
LOCK(nest_lock, omp_nest_lock_t)
