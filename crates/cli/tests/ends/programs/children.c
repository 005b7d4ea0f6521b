/* Children that have regions of their own before they are another program, or are gone: made by
   vfork and by clone, with the parent's memory and with a copy of it. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int code_of(pid_t child)
{
  int status = 0;
  if (waitpid(child, &status, 0) != child)
    return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void parent_work(void)
{
#pragma omp critical(parent)
  ;
}

static void child_work(void)
{
  for (int i = 0; i < 3; i++) {
#pragma omp critical(child)
    ;
  }
}

static int vforked(const char *command)
{
  pid_t child = vfork();
  if (child == 0) {
    child_work();
    if (command)
      execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(2);
  }
  return code_of(child);
}

static int work(void *code)
{
  child_work();
  _exit(*(int *)code);
}

static int cloned(int flags, int code)
{
  static char stack[1 << 20];
  return code_of(clone(work, stack + sizeof stack, flags | SIGCHLD, &code));
}

int main(void)
{
  int codes[5], refused;
  codes[0] = vforked(NULL);
  parent_work();
  codes[1] = vforked("exit 3");
  parent_work();
  codes[2] = cloned(0, 4);
  parent_work();
  codes[3] = cloned(CLONE_VM | CLONE_VFORK, 5);
  parent_work();
  codes[4] = vforked("missing-program 2>/dev/null");
  parent_work();
  refused = clone(work, NULL, CLONE_THREAD, NULL);
  parent_work();
  for (int i = 0; i < 5; i++)
    printf("%d ", codes[i]);
  printf("%d\n", refused);
  return 0;
}
