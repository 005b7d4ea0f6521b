#include <stdio.h>

/* An untied task may go on in another thread after each of its scheduling points. */
int main(void)
{
  int leaves = 0, nodes = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 5; i++) {
#pragma omp task untied shared(leaves, nodes) firstprivate(i)
    {
      for (int k = 0; k <= i; k++) {
#pragma omp task shared(leaves) untied
        {
#pragma omp atomic
          leaves++;
        }
#pragma omp taskyield
      }
#pragma omp taskwait
#pragma omp critical
      nodes++;
#pragma omp task untied
      ;
    }
  }
  printf("%d %d\n", leaves, nodes);
  return 0;
}
