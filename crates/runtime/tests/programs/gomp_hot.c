// Each kind of construct many times, in a team of one thread of gcc's OpenMP library. What a function
// here takes more with the measurement library than without it is what measuring its constructs
// costs. As in hot.c, a call path has the constructs of one kind only: each kind has a region of its
// own. The region before all others starts the measurement.
#include <omp.h>

enum { MANY = 100000 };

#define MANY_TIMES(name, construct) \
  __attribute__((noinline)) void many_##name(void) { \
    for (int i = 0; i < MANY; i++) { \
      construct \
    } \
  }

static volatile long sum;
static omp_lock_t lock;

MANY_TIMES(parallels, _Pragma("omp parallel") sum++;)
MANY_TIMES(barriers, _Pragma("omp barrier"))
MANY_TIMES(criticals, _Pragma("omp critical") sum++;)
MANY_TIMES(singles, _Pragma("omp single") sum++;)
MANY_TIMES(loops, _Pragma("omp for schedule(dynamic, 4)") for (int k = 0; k < 4; k++) sum++;)
MANY_TIMES(taskwaits, _Pragma("omp taskwait"))
MANY_TIMES(undeferred, _Pragma("omp task if (0)") sum++;)
MANY_TIMES(tasks, _Pragma("omp task") sum++;)
MANY_TIMES(locks, omp_set_lock(&lock); omp_unset_lock(&lock);)

__attribute__((noinline)) void many_ordered(void) {
#pragma omp for ordered schedule(dynamic, 4)
  for (int i = 0; i < MANY; i++) {
#pragma omp ordered
    sum++;
  }
}

int main(void) {
  omp_init_lock(&lock);
#pragma omp parallel
  sum++;
  many_parallels();
#pragma omp parallel
  many_barriers();
#pragma omp parallel
  many_criticals();
#pragma omp parallel
  many_singles();
#pragma omp parallel
  many_loops();
#pragma omp parallel
  many_ordered();
#pragma omp parallel
  many_taskwaits();
#pragma omp parallel
  many_undeferred();
#pragma omp parallel
  many_tasks();
#pragma omp parallel
  many_locks();
  return 0;
}
