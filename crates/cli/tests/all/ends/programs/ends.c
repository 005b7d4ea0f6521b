/* Does work of known numbers of visits, then ends in the way that its argument names. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

extern char **environ;

/* Two threads: one visit of the loop and three of the critical each. */
static void work(void)
{
#pragma omp parallel num_threads(2)
  {
#pragma omp for
    for (int i = 0; i < 2; i++)
      ;
    for (int i = 0; i < 3; i++) {
#pragma omp critical(work)
      ;
    }
  }
}

static void goodbye(void)
{
  static const char text[] = "goodbye\n";
  if (write(1, text, sizeof text - 1) < 0)
    abort();
}

static void handle_and_leave(int number)
{
  goodbye();
  _exit(number);
}

static void handle_and_exit(int number) { exit(number); }

static void *exit_in_thread(void *code)
{
  work();
  exit(*(int *)code);
}

/* Thread 0 has visited the critical 5 times, and thread 1 7 times, when one of them ends it all. */
static void in_region(void (*end)(void))
{
#pragma omp parallel num_threads(2)
  {
    int master = 0;
#pragma omp master
    master = 1;
    for (int i = 0; i < (master ? 5 : 7); i++) {
#pragma omp critical(inside)
      ;
    }
#pragma omp barrier
    if (!master)
      end();
#pragma omp barrier
  }
}

/* The same in the second of two tasks. */
static void in_task(void (*end)(void))
{
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task
    ;
#pragma omp taskwait
#pragma omp task
    {
#pragma omp critical(inside)
      ;
      end();
    }
#pragma omp taskwait
  }
}

static void exit_5(void) { exit(5); }
static void immediate_exit_5(void) { _exit(5); }
static void kill_itself(void) { raise(SIGKILL); }
static void segfault(void) { *(volatile int *)8 = 1; }
static void terminate(void) { raise(SIGTERM); }

static void exec(const char *how)
{
  char *list[] = {"sh", "-c", "echo replaced $1; exit 6", "sh", "by-list", NULL};
  char *empty[] = {"A=1", NULL};
  const char *script = "echo replaced $6; exit 6";
  if (!strcmp(how, "execl"))
    execl("/bin/sh", "sh", "-c", script, "sh", "1", "2", "3", "4", "5", "by-many", NULL);
  if (!strcmp(how, "execlp"))
    execlp("sh", "sh", "-c", "echo replaced by-few; exit 6", NULL);
  if (!strcmp(how, "execle"))
    execle("/bin/sh", "sh", "-c", "echo replaced $A; exit 6", NULL, empty);
  if (!strcmp(how, "execv"))
    execv("/bin/sh", list);
  if (!strcmp(how, "execve"))
    execve("/bin/sh", list, environ);
  if (!strcmp(how, "execvp"))
    execvp("sh", list);
  if (!strcmp(how, "execvpe"))
    execvpe("sh", list, environ);
  if (!strcmp(how, "fexecve"))
    fexecve(open("/bin/sh", O_RDONLY | O_CLOEXEC), list, environ);
  if (!strcmp(how, "execveat"))
    execveat(AT_FDCWD, "/bin/sh", list, environ, 0);
}

static void exec_in_vain(void)
{
  char *list[] = {"missing", NULL};
  if (execv("/missing/program", list) != -1 || errno != ENOENT)
    exit(90);
  if (execl("/missing/program", "missing", NULL) != -1 || errno != ENOENT)
    exit(91);
}

int main(int count, char **words)
{
  const char *how = count > 1 ? words[1] : "return";
  const struct rlimit cores = {RLIM_INFINITY, RLIM_INFINITY};
  int code = 3;
  pthread_t thread;
  setrlimit(RLIMIT_CORE, &cores);
  for (int i = 0; i < 3; i++)
    work();
  exec(how);
  if (!strcmp(how, "exit")) {
    atexit(goodbye);
    exit(4);
  }
  if (!strcmp(how, "exit-thread")) {
    pthread_create(&thread, NULL, exit_in_thread, &code);
    pthread_join(thread, NULL);
  }
  if (!strcmp(how, "exit-region"))
    in_region(exit_5);
  if (!strcmp(how, "exit-task"))
    in_task(exit_5);
  if (!strcmp(how, "_exit"))
    _exit(5);
  if (!strcmp(how, "_exit-region"))
    in_region(immediate_exit_5);
  if (!strcmp(how, "_Exit"))
    _Exit(7);
  if (!strcmp(how, "quick_exit")) {
    at_quick_exit(goodbye);
    quick_exit(8);
  }
  if (!strcmp(how, "abort"))
    abort();
  if (!strcmp(how, "abort-region"))
    in_region(abort);
  if (!strcmp(how, "SIGTERM"))
    terminate();
  if (!strcmp(how, "SIGTERM-region"))
    in_region(terminate);
  if (!strcmp(how, "SIGINT")) {
    signal(SIGINT, SIG_DFL); /* ignored where a shell started the tests in its background */
    raise(SIGINT);
  }
  if (!strcmp(how, "SIGSEGV"))
    segfault();
  if (!strcmp(how, "SIGSEGV-region"))
    in_region(segfault);
  if (!strcmp(how, "SIGKILL"))
    kill_itself();
  if (!strcmp(how, "SIGKILL-region"))
    in_region(kill_itself);
  if (!strcmp(how, "SIGKILL-task"))
    in_task(kill_itself);
  if (!strcmp(how, "SIGTERM-handler")) {
    signal(SIGTERM, handle_and_leave);
    raise(SIGTERM);
  }
  if (!strcmp(how, "SIGSEGV-handler")) {
    signal(SIGSEGV, handle_and_leave);
    in_region(segfault);
  }
  if (!strcmp(how, "SIGINT-handler-exit")) {
    atexit(goodbye);
    signal(SIGINT, handle_and_exit);
    raise(SIGINT);
  }
  if (!strcmp(how, "exec-fails")) {
    exec_in_vain();
    work();
    return 9;
  }
  if (!strcmp(how, "exec-fails-SIGKILL")) {
    exec_in_vain();
    raise(SIGKILL);
  }
  return 3;
}
