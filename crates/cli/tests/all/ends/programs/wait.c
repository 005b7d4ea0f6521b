/* Works, says so, and waits to be killed. */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 3; i++) {
#pragma omp critical(work)
    ;
  }
  FILE *ready = fopen("ready.new", "w");
  fprintf(ready, "%d\n", (int)getpid());
  fclose(ready);
  rename("ready.new", "ready");
  pause();
  return 0;
}
