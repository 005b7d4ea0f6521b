/* `scope`, which clang 19 does not compile, and `scan`, which it gets wrong inside of `parallel`. */
#include <stdio.h>

static int b[16];

int main(void) {
  int s = 0, t = 0, i, sum = 0;
#pragma omp parallel
  {
#pragma omp scope reduction(+ : s)
    s += 1;
#pragma omp scope reduction(+ : t) nowait
    {
      t += 2;
    }
#pragma omp for reduction(inscan, + : sum)
    for (i = 0; i < 16; i++) {
      sum += 1;
#pragma omp scan inclusive(sum)
      b[i] += sum;
    }
  }
#pragma omp parallel for reduction(inscan, + : sum)
  for (i = 0; i < 16; i++) {
    sum += 1;
#pragma omp scan inclusive(sum)
    b[i] += sum;
  }
  printf("%d %d %d\n", t == 2 * s, sum, b[15]);
  return 0;
}
