#include <stdio.h>
#include <stdlib.h>

static void goodbye(void) { printf("goodbye\n"); }

/* The master ends the program while the others wait in a barrier that never ends. */
int main(void)
{
  atexit(goodbye);
#pragma omp parallel
  {
#pragma omp barrier
#pragma omp master
    {
      printf("exit\n");
      exit(7);
    }
#pragma omp barrier
  }
  return 0;
}
