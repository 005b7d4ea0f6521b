/* Children that have regions of their own before they are another program, or are gone: made by
   vfork and by clone, with the parent's memory and with a copy of it, and by system calls. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
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

static int called(long child, int code)
{
  if (child == 0) {
    child_work();
    _exit(code);
  }
  return code_of((pid_t)child);
}

/* What is no fork is what it was: six arguments, results, errors. */
static int other_calls(void)
{
  char text[] = "..";
  int pipes[2];
  struct iovec { void *base; size_t bytes; } out = {"ab", 2}, in = {text, 2};
  if (syscall(SYS_getpid) != getpid() || syscall(SYS_pipe2, pipes, 0) != 0)
    return 1;
  if (syscall(SYS_pwritev2, pipes[1], &out, 1L, -1L, -1L, 0L) != 2)
    return 2;
  if (syscall(SYS_preadv2, pipes[0], &in, 1L, -1L, -1L, 0L) != 2 || text[1] != 'b')
    return 3;
  errno = 0;
  if (syscall(SYS_clone3, NULL, 0L) != -1 || errno == 0)
    return 4;
  return syscall(SYS_close, -1L) == -1 && errno == EBADF ? 0 : 5;
}

int main(void)
{
  int codes[8], refused;
  struct clone_args arguments = {.exit_signal = SIGCHLD};
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
  codes[5] = called(syscall(SYS_fork), 6);
  parent_work();
  codes[6] = called(syscall(SYS_clone, (long)SIGCHLD, NULL, NULL, NULL, 0L), 7);
  parent_work();
  codes[7] = called(syscall(SYS_clone3, &arguments, sizeof arguments), 8);
  parent_work();
  for (int i = 0; i < 8; i++)
    printf("%d ", codes[i]);
  printf("%d %d\n", refused, other_calls());
  return 0;
}
