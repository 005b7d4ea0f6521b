#include <omp.h>
#include <stdio.h>

static int counter = 5;
static int seed;
#pragma omp threadprivate(counter, seed)

static int next(void) { return ++counter; }

/* threadprivate values live from region to region; copyin and copyprivate spread them. */
int main(void)
{
  int kept = 0, spread = 0;
#pragma omp parallel copyin(counter)
  next();
#pragma omp parallel reduction(+ : kept, spread)
  {
    kept += counter;
#pragma omp single copyprivate(seed)
    seed = 40;
    spread += seed;
#pragma omp for schedule(static)
    for (int i = 0; i < 8; i++)
      seed += i - i;
  }
  printf("%d %d\n", kept / omp_get_max_threads(), spread / omp_get_max_threads());
  return 0;
}
