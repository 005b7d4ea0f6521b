/* Threads, stacks and control flow that a measurement could stumble over: one at a time. */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

static pthread_barrier_t together;

/* Eight threads of the program's own meet the same construct at the same time, each with a team. */
static void *fork_at_once(void *argument)
{
  (void)argument;
  pthread_barrier_wait(&together);
  for (int i = 0; i < 100; i++) {
#pragma omp parallel num_threads(2)
    {
#pragma omp critical(inside)
      ;
    }
  }
  /* The location of a thread that has ended would be another one's. */
  pthread_barrier_wait(&together);
  return NULL;
}

static void forks_at_once(void)
{
  pthread_t threads[8];
  pthread_barrier_init(&together, NULL, 8);
  for (int i = 0; i < 8; i++)
    if (pthread_create(&threads[i], NULL, fork_at_once, NULL))
      abort();
  for (int i = 0; i < 8; i++)
    pthread_join(threads[i], NULL);
}

/* Threads that come and go: 50 in turn. */
static void *short_life(void *argument)
{
  (void)argument;
#pragma pomp inst begin(visit)
#pragma pomp inst end(visit)
  return NULL;
}

static void threads_in_turn(void)
{
  pthread_t thread;
  for (int i = 0; i < 50; i++) {
    if (pthread_create(&thread, NULL, short_life, NULL))
      abort();
    pthread_join(thread, NULL);
  }
}

/* A handler that interrupts regions, and events of regions, with a region of its own. */
static volatile sig_atomic_t handled;

static void handle(int number)
{
  (void)number;
#pragma pomp inst begin(handler)
  handled++;
#pragma pomp inst end(handler)
}

static void interrupted(void)
{
  struct itimerval often = {{0, 50}, {0, 50}};
  signal(SIGALRM, handle);
  setitimer(ITIMER_REAL, &often, NULL);
  for (int n = 0; handled < 2000 || n < 100000; n++) {
    if (n >= 100000)
      continue;
#pragma pomp inst begin(visit)
#pragma omp critical(inside)
    ;
#pragma pomp inst end(visit)
  }
  memset(&often, 0, sizeof often);
  setitimer(ITIMER_REAL, &often, NULL);
  signal(SIGALRM, SIG_DFL);
}

/* Out of three regions at once, a hundred times. */
static jmp_buf back;

static void jump(int depth)
{
#pragma pomp inst begin(jumped)
  if (depth == 0)
    longjmp(back, 1);
  jump(depth - 1);
#pragma pomp inst end(jumped)
}

static void jumps(void)
{
#pragma omp parallel num_threads(2)
  {
#pragma omp master
    for (volatile int i = 0; i < 100; i++) {
#pragma pomp inst begin(visit)
      if (setjmp(back) == 0)
        jump(2);
#pragma pomp inst end(visit)
    }
#pragma omp critical(inside)
    ;
  }
}

/* Two coroutines that take turns in the middle of their regions. */
static ucontext_t first, second, outside;
static char stacks[2][256 * 1024];

static void take_turns(ucontext_t *own, ucontext_t *other)
{
  for (int i = 0; i < 20; i++) {
#pragma pomp inst begin(turn)
    swapcontext(own, other);
#pragma pomp inst end(turn)
  }
}

static void first_turns(void) { take_turns(&first, &second); }
static void second_turns(void) { take_turns(&second, &first); }

static void coroutines(void)
{
  getcontext(&first);
  first.uc_stack.ss_sp = stacks[0];
  first.uc_stack.ss_size = sizeof stacks[0];
  first.uc_link = &outside;
  makecontext(&first, first_turns, 0);
  getcontext(&second);
  second.uc_stack.ss_sp = stacks[1];
  second.uc_stack.ss_size = sizeof stacks[1];
  second.uc_link = &outside;
  makecontext(&second, second_turns, 0);
  swapcontext(&outside, &first);
#pragma omp parallel num_threads(2)
  {
#pragma omp critical(inside)
    ;
  }
}

static void many(int threads)
{
#pragma omp parallel num_threads(threads)
  {
#pragma omp critical(inside)
    ;
  }
}

/* A team in a team in a team ... */
static void nest(int levels)
{
#pragma omp parallel num_threads(2)
  {
#pragma omp critical(inside)
    ;
#pragma omp master
    if (levels > 1)
      nest(levels - 1);
  }
}

/* Locks that are made, used and destroyed in the same few places by one thread after another. */
static void locks_in_turn(void)
{
  static omp_lock_t places[3];
  static int taken[3];
#pragma omp parallel num_threads(4)
  for (int round = 0; round < 2000; round++) {
    int place = round % 3;
    while (__atomic_exchange_n(&taken[place], 1, __ATOMIC_ACQUIRE))
      sched_yield();
    omp_init_lock(&places[place]);
    omp_set_lock(&places[place]);
    omp_unset_lock(&places[place]);
    omp_destroy_lock(&places[place]);
    __atomic_store_n(&taken[place], 0, __ATOMIC_RELEASE);
  }
}

static void last_words(void)
{
#pragma omp parallel num_threads(2)
  {
#pragma omp critical(inside)
    ;
  }
}

static void __attribute__((destructor)) very_last_words(void)
{
#pragma omp parallel num_threads(2)
  {
#pragma omp critical(destructor)
    ;
  }
}

int main(int count, char **words)
{
  const char *how = count > 1 ? words[1] : "";
  if (!strcmp(how, "forks-at-once"))
    forks_at_once();
  if (!strcmp(how, "threads-in-turn"))
    threads_in_turn();
  if (!strcmp(how, "interrupted"))
    interrupted();
  if (!strcmp(how, "jumps"))
    jumps();
  if (!strcmp(how, "coroutines"))
    coroutines();
  if (!strcmp(how, "many"))
    many(atoi(words[2]));
  if (!strcmp(how, "nest"))
    nest(atoi(words[2]));
  if (!strcmp(how, "locks"))
    locks_in_turn();
  if (!strcmp(how, "atexit"))
    atexit(last_words);
  printf("done\n");
  return 0;
}
