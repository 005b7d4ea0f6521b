// `ends HOW`: programs that end, fork, start others, take signals or misbehave in one way each. All
// of them enter `before` 100 times and one parallel region first.
#define _GNU_SOURCE
#include "pomp.h"

static POMPExtension extension = {POMP_EXTENSION, ""};
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define REGION(id, name, sub, line) \
  static OMPRegDescr id = {name, sub, 0, "ends.c", line, line, line + 5, line + 5, 0, (OMPRegDescr *)&extension}
REGION(before, "region", "before", 10);
REGION(after, "region", "after", 20);
REGION(last, "region", "last", 25);
REGION(handled, "region", "handled", 30);
REGION(deep, "region", "deep", 40);
REGION(parallel, "parallel", "", 50);
REGION(second, "parallel", "", 60);
static OMPRegDescr foreign = {"parallel", "", 0, "foreign.c", 1, 1, 2, 2, 0, 0};

extern char **environ;
static const char *how;
static int is(const char *what) { return strcmp(how, what) == 0; }

static void region(OMPRegDescr *d) {
  POMP_Begin(d, 0);
  POMP_End(d, 0);
}

static void team(OMPRegDescr *d, OMPRegDescr *inside, int times) {
  long id;
  POMP_Parallel_fork(d, &id);
#pragma omp parallel firstprivate(id)
  {
    POMP_Parallel_begin(d, id);
    for (int i = 0; i < times; i++) region(inside);
    POMP_Parallel_end(d, id);
  }
  POMP_Parallel_join(d, id);
}

static volatile sig_atomic_t signals;
static void handler(int signal) {
  (void)signal;
  signals++;
  region(&handled);
}

static pthread_barrier_t together;
static void *thread(void *wait) {
  team(&second, &after, 10);
  if (wait) pthread_barrier_wait(&together);
  return 0;
}

static void recurse(int depth) {
  POMP_Begin(&deep, 0);
  if (depth > 1) recurse(depth - 1);
  POMP_End(&deep, 0);
}

static jmp_buf back;

__attribute__((destructor)) static void late(void) { region(&last); }
static void at_exit(void) { region(&after); }

int main(int argc, char **argv) {
  how = argc > 1 ? argv[1] : "";
  char *self[] = {argv[0], "child", 0}, *echo[] = {"/bin/true", 0};
  for (int i = 0; i < 100; i++) region(&before);
  team(&parallel, &before, 0);
  if (is("kill")) {
    POMP_Begin(&after, 0);
    raise(SIGKILL);
  }
  if (is("_exit")) {
    POMP_Begin(&after, 0);
    _exit(0);
  }
  if (is("abort")) abort();
  if (is("exit in parallel")) {
    long id;
    POMP_Parallel_fork(&second, &id);
#pragma omp parallel firstprivate(id)
    {
      POMP_Parallel_begin(&second, id);
#pragma omp barrier
#pragma omp master
      exit(0);
      for (;;) region(&after);
    }
  }
  if (is("fork")) {
    if (fork() == 0) {
      for (int i = 0; i < 1000; i++) region(&after);
      exit(0);
    }
    wait(0);
  }
  if (is("vfork")) {
    pid_t child = vfork();
    if (child == 0) {
      region(&after);
      execv(echo[0], echo);
      _exit(1);
    }
    waitpid(child, 0, 0);
    region(&after);
  }
  if (is("spawn")) {
    pid_t child;
    posix_spawn(&child, argv[0], 0, 0, self, environ);
    waitpid(child, 0, 0);
  }
  if (is("system")) {
    char command[4096];
    snprintf(command, sizeof command, "%s child", argv[0]);
    if (system(command)) return 1;
  }
  if (is("exec")) execv(argv[0], self);
  if (is("signals")) {
    struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    signal(SIGALRM, handler);
    setitimer(ITIMER_REAL, &often, 0);
    while (signals < 200) region(&after);
    setitimer(ITIMER_REAL, &never, 0);
  }
  if (is("pthreads") || is("pthreads in turn")) {
    pthread_t threads[20];
    pthread_barrier_init(&together, 0, 20);
    for (int i = 0; i < 20; i++) {
      pthread_create(&threads[i], 0, thread, is("pthreads") ? &together : 0);
      if (is("pthreads in turn")) pthread_join(threads[i], 0);
    }
    for (int i = 0; i < 20 && is("pthreads"); i++) pthread_join(threads[i], 0);
  }
  if (is("deep")) recurse(10000);
  if (is("chdir")) {
    if (chdir("/")) return 1;
    team(&second, &after, 100000);
  }
  if (is("close")) {
    for (int file = 0; file < 256; file++) close(file);
    int own = open("own", O_RDWR | O_CREAT, 0644);
    recurse(1000);
    team(&second, &after, 100000);
    return write(own, "mine", 4) != 4;
  }
  if (is("no files")) {
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_NOFILE, &none);
    recurse(1000);
  }
  if (is("longjmp")) {
    for (int i = 0; i < 50; i++) {
      POMP_Begin(&after, 0);
      if (!setjmp(back)) {
        recurse(5);
        POMP_Begin(&deep, 0);
        longjmp(back, 1);
      }
      POMP_End(&after, 0);
    }
  }
  if (is("foreign")) {
    void (*fork_)(OMPRegDescr *) = (void (*)(OMPRegDescr *))POMP_Parallel_fork;
    void (*begin)(OMPRegDescr *) = (void (*)(OMPRegDescr *))POMP_Parallel_begin;
    void (*end)(OMPRegDescr *) = (void (*)(OMPRegDescr *))POMP_Parallel_end;
    void (*join)(OMPRegDescr *) = (void (*)(OMPRegDescr *))POMP_Parallel_join;
    fork_(&foreign);
#pragma omp parallel
    {
      begin(&foreign);
      region(&after);
      end(&foreign);
    }
    join(&foreign);
  }
  if (is("off")) {
    POMP_Off();
    team(&second, &after, 10);
    POMP_On();
    team(&second, &after, 1);
  }
  if (is("finalize")) {
    POMP_Finalize();
    team(&second, &after, 10);
  }
  if (is("atexit")) atexit(at_exit);
  return 0;
}
