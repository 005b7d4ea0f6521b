// The threads of an OpenMP runtime that has no hurry to wake up the same ones again: two masters, and
// two workers that are thread 1 of their teams in turn. While one worker has events as thread 1 of
// the first master's team, the other one, which was that before, begins in the second master's.
#include "pomp.h"
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

static POMPExtension extension = {POMP_EXTENSION, ""};
#define REGION(id, name, sub, line) \
  static OMPRegDescr id = {name, sub, 0, "swapped.c", line, line, line + 5, line + 5, 0, (OMPRegDescr *)&extension}
REGION(first, "parallel", "", 10);
REGION(second, "parallel", "", 20);
REGION(busy, "region", "busy", 30);
REGION(inside, "region", "inside", 40);

static __thread int number;
static __thread int size = 1;
int omp_get_thread_num(void) { return number; }
int omp_get_num_threads(void) { return size; }
int omp_get_max_threads(void) { return 2; }

enum { ROUNDS = 40 };
static long teams[2];
// Of the thread that has events meanwhile.
static int has_begun, is_over;
// What is next: each step is one thread's.
static int step;

static int get(int *what) { return __atomic_load_n(what, __ATOMIC_ACQUIRE); }
static void set(int *what, int value) { __atomic_store_n(what, value, __ATOMIC_RELEASE); }
static void next(void) { set(&step, step + 1); }
static void wait_for(int value) {
  while (get(&step) != value) sched_yield();
}

static void region(OMPRegDescr *d) {
  POMP_Begin(d, 0);
  POMP_End(d, 0);
}

static void begin(OMPRegDescr *d, long team) {
  size = 2;
  POMP_Parallel_begin(d, team);
}

static void end(OMPRegDescr *d, long team) {
  POMP_Parallel_end(d, team);
  size = 1;
}

static void *second_master(void *nothing) {
  for (int round = 0; round < ROUNDS; round++) {
    wait_for(8 * round + 5);
    POMP_Parallel_fork(&second, &teams[1]);
    begin(&second, teams[1]);
    next();
    wait_for(8 * round + 7);
    end(&second, teams[1]);
    POMP_Parallel_join(&second, teams[1]);
    next();
  }
  return nothing;
}

// Thread 1 of the first master's team, then of the second one's.
static void *former(void *nothing) {
  number = 1;
  for (int round = 0; round < ROUNDS; round++) {
    wait_for(8 * round + 1);
    begin(&first, teams[0]);
    end(&first, teams[0]);
    next();
    wait_for(8 * round + 6);
    begin(&second, teams[1]);
    region(&inside);
    end(&second, teams[1]);
    set(&is_over, 1);
    next();
  }
  return nothing;
}

// Thread 1 of the first master's next team.
static void *latter(void *nothing) {
  number = 1;
  for (int round = 0; round < ROUNDS; round++) {
    wait_for(8 * round + 4);
    begin(&first, teams[0]);
    set(&is_over, 0);
    next();
    while (!get(&is_over)) region(&busy);
    end(&first, teams[0]);
    set(&has_begun, 0);
  }
  return nothing;
}

int main(void) {
  pthread_t threads[3];
  void *(*what[3])(void *) = {second_master, former, latter};
  for (int i = 0; i < 3; i++)
    if (pthread_create(&threads[i], 0, what[i], 0)) abort();
  for (int round = 0; round < ROUNDS; round++) {
    wait_for(8 * round);
    for (int team = 0; team < 2; team++) {
      POMP_Parallel_fork(&first, &teams[0]);
      begin(&first, teams[0]);
      set(&has_begun, team);
      next();
      wait_for(8 * round + (team == 0 ? 2 : 8));
      while (get(&has_begun)) sched_yield();
      end(&first, teams[0]);
      POMP_Parallel_join(&first, teams[0]);
      if (team == 0) next();
    }
  }
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  puts("done");
  return 0;
}
