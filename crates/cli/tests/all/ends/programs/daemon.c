/* Goes to the background, works there, and waits for a file before it works again. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
#pragma omp parallel num_threads(2)
  {
#pragma omp critical(parent)
    ;
  }
  if (fork() != 0) {
    while (access("pid", F_OK) != 0)
      usleep(1000);
    return 0;
  }
  if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
    abort();
  for (int i = 0; i < 2; i++) {
#pragma omp parallel num_threads(1)
    {
#pragma omp critical(child)
      ;
    }
    if (i == 0) {
      FILE *pid = fopen("pid.new", "w");
      fprintf(pid, "%d\n", (int)getpid());
      fclose(pid);
      rename("pid.new", "pid");
      for (int tries = 0; tries < 600000 && access("go", F_OK) != 0; tries++)
        usleep(1000);
    }
  }
  return 0;
}
