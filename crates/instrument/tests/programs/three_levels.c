// Three levels in one directive.
#include <stdio.h>

int main(void) {
  int n = 0;
#pragma omp parallel master taskloop grainsize(8) if (n >= 0) num_threads(2)
  for (int i = 0; i < 512; i++)
#pragma omp atomic
    n++;
  printf("%d\n", n);
  return 0;
}
