#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int code_of(pid_t child)
{
  int status = 0;
  if (waitpid(child, &status, 0) != child)
    return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -2;
}

/* None of these children may end, copy or write to the parent's measurement. */
int main(void)
{
  char *command[] = {"sh", "-c", "exit 4", NULL};
  int sum = 0, codes[5];
#pragma omp parallel reduction(+ : sum)
  sum += 1;
  fflush(stdout);

  pid_t child = vfork();
  if (child == 0)
    _exit(2);
  codes[0] = code_of(child);

  child = vfork();
  if (child == 0) {
    execvp(command[0], command);
    _exit(99);
  }
  codes[1] = code_of(child);

  if (posix_spawnp(&child, command[0], NULL, NULL, command, environ) != 0)
    return 1;
  codes[2] = code_of(child);

  codes[3] = WEXITSTATUS(system("exit 5"));

  child = fork();
  if (child == 0)
    _exit(6);
  codes[4] = code_of(child);

#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 5; i++)
    sum += codes[i];
  printf("%d %d %d %d %d\n", codes[0], codes[1], codes[2], codes[3], codes[4]);
  return sum > 20 ? 0 : 1;
}
