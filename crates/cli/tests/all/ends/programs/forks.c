/* Makes children in all ways between two regions of the parent, and prints their exit codes. */
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int code_of(pid_t child)
{
  int status = 0;
  if (waitpid(child, &status, 0) != child)
    return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void parent_work(void)
{
#pragma omp parallel num_threads(2)
  {
#pragma omp critical(parent)
    ;
  }
}

/* Three visits by each thread. GNU's runtime hangs in a child that opens a team of several threads
   where its parent has had one, with any tool and without. */
static void child_work(int threads)
{
#pragma omp parallel num_threads(threads)
  for (int i = 0; i < 3; i++) {
#pragma omp critical(child)
    ;
  }
}

static int forked(int code, int threads)
{
  pid_t child = fork();
  if (child == 0) {
    child_work(threads);
    exit(code);
  }
  return code_of(child);
}

/* A child of a child. */
static int forked_twice(int code)
{
  pid_t child = fork();
  if (child == 0) {
    int below = forked(code, 1);
    _exit(below + 1);
  }
  return code_of(child);
}

static int forked_and_killed(void)
{
  pid_t child = fork();
  if (child == 0) {
    child_work(1);
    abort();
  }
  return code_of(child);
}

/* Forked inside of a critical, by a thread of a team: the child goes on alone. */
static int forked_in_a_region(int code)
{
  int result = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp master
    {
#pragma omp critical(parent)
      {
        pid_t child = fork();
        if (child == 0) {
#pragma omp critical(alone)
          ;
          _exit(code);
        }
        result = code_of(child);
      }
    }
  }
  return result;
}

static int vforked(int code)
{
  pid_t child = vfork();
  if (child == 0)
    _exit(code);
  return code_of(child);
}

static int vforked_exec(char **command)
{
  pid_t child = vfork();
  if (child == 0) {
    execvp(command[0], command);
    _exit(99);
  }
  return code_of(child);
}

static int vforked_listed(void)
{
  pid_t child = vfork();
  if (child == 0) {
    execl("/missing/program", "program", NULL);
    execlp("sh", "sh", "-c", "exit 3", NULL);
    _exit(99);
  }
  return code_of(child);
}

static int spawned(char **command)
{
  pid_t child;
  if (posix_spawnp(&child, command[0], NULL, NULL, command, environ) != 0)
    return -1;
  return code_of(child);
}

int main(int count, char **words)
{
  char *command[] = {"sh", "-c", "exit 4", NULL};
  int codes[10];
  if (count > 1 && !strcmp(words[1], "child")) {
    child_work(2);
    return 11;
  }
  if (count > 1 && !strcmp(words[1], "workers"))
    return forked(1, 2) + forked(2, 2);
  codes[9] = forked(10, 2);
  parent_work();
  fflush(stdout);
  codes[0] = vforked(2);
  codes[1] = vforked_listed();
  codes[2] = vforked_exec(command);
  codes[3] = spawned(command);
  codes[4] = WEXITSTATUS(system("exit 5"));
  codes[5] = forked(6, 1);
  codes[6] = forked_twice(7);
  codes[7] = forked_and_killed();
  codes[8] = forked_in_a_region(9);
  parent_work();
  for (int i = 0; i < 10; i++)
    printf("%d ", codes[i]);
  puts("");
  if (count > 1) {
    char *again[] = {words[0], "child", NULL};
    printf("%d\n", spawned(again));
  }
  return 0;
}
