// One kind of construct many times, without any OpenMP runtime: `hot KIND COUNT`. What is left of
// two runs' difference is the library's own instructions per construct. An uppercase kind is met by
// a team of two.
#include "pomp.h"
#include "pomp_threads.h"

static POMPExtension extension = {POMP_EXTENSION, ""};
#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>

#define REGION(id, name, sub) \
  static OMPRegDescr id = {name, sub, 0, "hot.c", 1, 1, 2, 2, 0, (OMPRegDescr *)&extension}
REGION(parallel, "parallel", "");
REGION(user, "region", "work");
REGION(critical, "critical", "");
REGION(single, "single", "");
REGION(loop, "for", "");
REGION(task, "task", "");
REGION(taskwait, "taskwait", "");
REGION(barrier, "barrier", "");
REGION(inner, "parallel", "");
static POMPExtension undeferred = {POMP_EXTENSION, "if(0)"};
static OMPRegDescr conditional = {"task", "", 0, "hot.c", 1, 1, 2, 2, 0, (OMPRegDescr *)&undeferred};
static OMPRegDescr other = {"task", "", 0, "hot.c", 1, 3, 4, 4, 0, (OMPRegDescr *)&undeferred};
static POMPExtension stamped = {POMP_EXTENSION, "timed"};
static OMPRegDescr timed = {"flush", "", 0, "hot.c", 1, 1, 2, 2, 0, (OMPRegDescr *)&stamped};
REGION(flush, "flush", "");
REGION(ordered, "ordered", "");
REGION(taskloop, "taskloop", "");

// Regions that one loop has, one behind the other.
#define ONE_OF_EIGHT(name) {"region", name, 0, "hot.c", 1, 1, 2, 2, 0, (OMPRegDescr *)&extension}
static OMPRegDescr eight[8] = {ONE_OF_EIGHT("a"), ONE_OF_EIGHT("b"), ONE_OF_EIGHT("c"),
                               ONE_OF_EIGHT("d"), ONE_OF_EIGHT("e"), ONE_OF_EIGHT("f"),
                               ONE_OF_EIGHT("g"), ONE_OF_EIGHT("h")};

static long iteration, generator, generated, alternating;

/* A task with this number of items. */
enum { ITEMS = 33 };

static void depending(int number) {
  static const char kinds[] = "oioioioioioioioioioioioioioioioio";
  static const volatile void *items[ITEMS];
  static char variables[ITEMS];
  long id;
  for (int i = 0; i < number; i++) items[i] = &variables[i];
  POMP_Task_create_begin(&task, &id);
  POMP_Task_depend(&task, id, kinds + ITEMS - number, items);
  POMP_Task_create_end(&task, id);
  POMP_Task_begin(&task, id);
  POMP_Task_end(&task, id);
}

/* Very many regions, and one of the first `number` in no order that repeats. */
enum { MANY = 4000 };
static OMPRegDescr many[MANY];

static void name_many(void) {
  static char names[MANY][8];
  for (int i = 0; i < MANY; i++) {
    for (int digit = 0, rest = i; digit < 7; digit++, rest /= 10) names[i][digit] = (char)('0' + rest % 10);
    many[i] = (OMPRegDescr)ONE_OF_EIGHT(names[i]);
  }
}

static void one_of(unsigned number) {
  static unsigned state = 2463534242;
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  OMPRegDescr *region = &many[state % number];
  POMP_Begin(region, 0);
  POMP_End(region, 0);
}

/* What a function does that calls itself in two undeferred tasks and waits for them. */
static void recurse(int depth) {
  if (depth == 0) return;
  long id;
  POMP_Task_create_begin(&conditional, &id);
  POMP_Task_begin(&conditional, id);
  recurse(depth - 1);
  POMP_Task_end(&conditional, id);
  POMP_Task_create_end(&conditional, id);
  POMP_Task_create_begin(&other, &id);
  POMP_Task_begin(&other, id);
  recurse(depth - 1);
  POMP_Task_end(&other, id);
  POMP_Task_create_end(&other, id);
  POMP_Taskwait_enter(&taskwait);
  POMP_Taskwait_exit(&taskwait);
}

/* What libpompeii-threads.so reports of a mutex that is free. */
static void visit_mutex(void) {
  static struct pomp_threads_routine locking = {"pthread_mutex_lock", 0};
  static struct pomp_threads_routine unlocking = {"pthread_mutex_unlock", 0};
  static pthread_mutex_t mutex;
  uintptr_t caller = (uintptr_t)visit_mutex;
  pomp_mutex_taken(&locking, caller + 1, &mutex);
  pomp_mutex_freed(&unlocking, caller + 2, &mutex);
}

static void one(char kind) {
  long id;
  switch (kind) {
  case 'f':
    POMP_Begin(&user, 0);
    POMP_End(&user, 0);
    break;
  case 'a': /* one of eight in turn */
    POMP_Begin(&eight[alternating % 8], 0);
    POMP_End(&eight[alternating++ % 8], 0);
    break;
  case 'n':
    one_of(10);
    break;
  case 'v':
    one_of(MANY);
    break;
  case 'c':
    POMP_Critical_enter(&critical);
    POMP_Critical_begin(&critical);
    POMP_Critical_end(&critical);
    POMP_Critical_exit(&critical);
    break;
  case 's':
    POMP_Single_enter(&single);
    POMP_Single_begin(&single);
    POMP_Single_end(&single);
    POMP_Single_exit(&single);
    break;
  case 'l':
    POMP_For_enter(&loop, 100);
    POMP_Barrier_enter(&loop);
    POMP_Barrier_exit(&loop);
    POMP_For_exit(&loop);
    break;
  case 'o':
    POMP_Ordered_enter(&ordered);
    POMP_Ordered_begin(&ordered);
    POMP_Ordered_end(&ordered);
    POMP_Ordered_exit(&ordered);
    break;
  case 'x':
    POMP_Flush_enter(&flush);
    POMP_Flush_exit(&flush);
    break;
  case 'y':
    POMP_Flush_enter(&timed);
    POMP_Flush_exit(&timed);
    break;
  case 'i': /* iterations of one chunk */
    POMP_Iteration_begin(&loop, iteration++, 1);
    POMP_Iteration_end(&loop);
    break;
  case 'g': /* iterations of one generated task */
    POMP_Taskloop_begin(&taskloop, generator, &generated);
    POMP_Taskloop_end(&taskloop, generated);
    break;
  case 'G': { /* a generated task of one iteration */
    long task = 0;
    POMP_Taskloop_begin(&taskloop, generator, &task);
    POMP_Taskloop_end(&taskloop, task);
    break;
  }
  case 'u': /* undeferred */
    POMP_Task_create_begin(&conditional, &id);
    POMP_Task_begin(&conditional, id);
    POMP_Task_end(&conditional, id);
    POMP_Task_create_end(&conditional, id);
    break;
  case 'k':
    visit_mutex();
    break;
  case 'r': /* three calls */
    recurse(2);
    break;
  case 'w': /* deferred, executed while its creator waits for it */
    POMP_Task_create_begin(&task, &id);
    POMP_Task_create_end(&task, id);
    POMP_Taskwait_enter(&taskwait);
    POMP_Task_begin(&task, id);
    POMP_Task_end(&task, id);
    POMP_Taskwait_exit(&taskwait);
    break;
  case 'm': /* executed at once by its creator: too many others are waiting */
    POMP_Task_create_begin(&task, &id);
    POMP_Task_begin(&task, id);
    POMP_Task_end(&task, id);
    POMP_Task_create_end(&task, id);
    break;
  case 'd': /* deferred, after another one */
    depending(1);
    break;
  case 'e': /* the same with many items */
    depending(ITEMS);
    break;
  case 't': /* deferred */
    POMP_Task_create_begin(&task, &id);
    POMP_Task_create_end(&task, id);
    POMP_Task_begin(&task, id);
    POMP_Task_end(&task, id);
    break;
  case 'b':
    POMP_Barrier_enter(&barrier);
    POMP_Barrier_exit(&barrier);
    break;
  case 'p': /* the master's part of a region */
    POMP_Parallel_fork(&inner, &id);
    POMP_Parallel_begin(&inner, id);
    POMP_Parallel_end(&inner, id);
    POMP_Parallel_join(&inner, id);
    break;
  }
}

static int threads = 1;
static __thread int thread;
int omp_get_num_threads(void) { return threads; }
int omp_get_thread_num(void) { return thread; }

static char kind;
static long team, count;
static pthread_barrier_t together;

static void *part(void *number) {
  thread = (int)(long)number;
  POMP_Parallel_begin(&parallel, team);
  for (long i = 0; i < count; i++) {
    if (threads == 1) {
      one(kind);
      continue;
    }
    if (kind == 'l') POMP_For_enter(&loop, 100);
    POMP_Barrier_enter(kind == 'l' ? &loop : &barrier);
    pthread_barrier_wait(&together);
    POMP_Barrier_exit(kind == 'l' ? &loop : &barrier);
    if (kind == 'l') POMP_For_exit(&loop);
  }
  POMP_Parallel_end(&parallel, team);
  return NULL;
}

/* One instruction each, a jump. */
static __attribute__((noipa)) void worker_begins(OMPRegDescr *d, long team) {
  POMP_Parallel_begin(d, team);
}

static __attribute__((noipa)) void worker_ends(OMPRegDescr *d, long team) {
  POMP_Parallel_end(d, team);
}

/* Regions of two threads, whose worker waits at the end of each. */
static void *regions(void *number) {
  thread = (int)(long)number;
  for (long i = 0; i < count; i++) {
    if (thread == 0) {
      POMP_Parallel_fork(&parallel, &team);
      POMP_Parallel_begin(&parallel, team);
    }
    pthread_barrier_wait(&together);
    if (thread == 1) {
      worker_begins(&parallel, team);
      worker_ends(&parallel, team);
    }
    pthread_barrier_wait(&together);
    if (thread == 0) {
      POMP_Parallel_end(&parallel, team);
      POMP_Parallel_join(&parallel, team);
    }
  }
  return NULL;
}

int main(int argc, char **argv) {
  kind = (char)tolower(argv[1][0]);
  threads = isupper(argv[1][0]) ? 2 : 1;
  count = argc > 2 ? atol(argv[2]) : 0;
  if (kind == 'n' || kind == 'v') name_many();
  pthread_barrier_init(&together, NULL, 2);
  pthread_t other;
  if (kind == 'p' && threads == 2) {
    pthread_create(&other, NULL, regions, (void *)1);
    regions((void *)0);
    pthread_join(other, NULL);
    return 0;
  }
  POMP_Parallel_fork(&parallel, &team);
  if (kind == 'g' || kind == 'G') POMP_Taskloop_enter(&taskloop, &generator);
  if (threads == 2) pthread_create(&other, NULL, part, (void *)1);
  part((void *)0);
  if (threads == 2) pthread_join(other, NULL);
  if (kind == 'g' || kind == 'G') POMP_Taskloop_exit(&taskloop, generator);
  POMP_Parallel_join(&parallel, team);
  return 0;
}
