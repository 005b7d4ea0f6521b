/* Critical, atomic and barriers as bodies of anything, in C89. */
#include <stdio.h>

static int pomp_counter = 0;

static void add(int *x) {
  if (*x >= 0)
#pragma omp critical
    *x += 1;
  else
    *x = -1;
  for (; *x < 0;)
#pragma omp critical(other)
    {
      *x = 0;
    }
#pragma omp barrier
}

int main(void) {
  int x = 0, y = 0, z = 0, team = 0;
#pragma omp parallel shared(x, y, z, team)
  {
    int old;
    add(&x);
#pragma omp master
    team = 0;
#pragma omp barrier
#pragma omp atomic update
    team += 1;
#pragma omp atomic capture
    {
      old = z;
      z += 2;
    }
#pragma omp atomic read
    old = z;
    if (old > 0)
#pragma omp atomic
      y++;
#pragma omp critical
    do {
      pomp_counter++;
    } while (pomp_counter < 0);
  }
  printf("%d %d %d %d\n", x - team, y - team, z - 2 * team, pomp_counter - team);
  return 0;
}
