#include <stdio.h>

/* Far more tasks than a runtime lets wait: their creators execute most of them at once. First no
   construct is known that makes tasks final, then there is one. */
static int before, included, behind, nested;

static void count(int *counter)
{
#pragma omp atomic
  ++*counter;
}

int main(void)
{
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 2000; i++) {
#pragma omp task
      count(&before);
    }
#pragma omp task final(1)
    for (int i = 0; i < 10; i++) {
#pragma omp task
      count(&included);
    }
    for (int i = 0; i < 2000; i++) {
#pragma omp task
      count(&behind);
    }
#pragma omp task
    for (int i = 0; i < 2000; i++) {
#pragma omp task
      count(&nested);
    }
  }
  printf("%d %d %d %d\n", before, included, behind, nested);
  return 0;
}
