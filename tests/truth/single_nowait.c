// One thread prepares each round in `single` with `nowait`. The others begin their iterations at
// once, and wait at the end of the loop for this thread, which is mostly another one each time.
// cause: single_master
// advice: schedule -> OMP_SCHEDULE={value}
// body: sleeps
// threads: 3 4 8
// faulty: OMP_SCHEDULE=static
// repaired: OMP_SCHEDULE=static
// vary: UNIT_US=900..1100
#include "truth.h"
#define ROUNDS (400000 / UNIT_US / 10)
#define EACH 6

int main(void)
{
    #pragma omp parallel
    for (int round = 0; round < ROUNDS; round++) {
#ifdef REPAIRED
        #pragma omp for schedule(static) nowait
        for (int i = 0; i < THREADS; i++)
            rest(4 * UNIT_US / THREADS);
#else
        #pragma omp single nowait // <-- cause
        rest(4 * UNIT_US);
#endif
        #pragma omp for schedule(runtime)
        for (int i = 0; i < EACH * THREADS; i++)
            rest(UNIT_US);
    }
    printf("%d rounds\n", ROUNDS);
}
