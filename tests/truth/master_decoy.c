// Two master regions, one three times as long as the other. The others go on to a balanced loop and
// wait at its end, which is where the time seems to be lost.
// cause: single_master
// advice: none
// body: sleeps
// threads: 3 4 8
// vary: UNIT_US=1800..2200 ROUNDS=26..30 ORDER=0..1
#include "truth.h"

static void large(void)
{
#ifdef REPAIRED
    rest(3 * UNIT_US / THREADS);
#else
    #pragma omp master // <-- cause
    rest(3 * UNIT_US);
#endif
}

static void small(void)
{
    #pragma omp master // the smaller cause
    rest(UNIT_US);
}

int main(void)
{
    #pragma omp parallel
    for (int round = 0; round < ROUNDS; round++) {
#if ORDER
        large();
        small();
#else
        small();
        large();
#endif
        #pragma omp for schedule(static) // the decoy
        for (int i = 0; i < THREADS; i++)
            rest(2 * UNIT_US);
    }
    printf("%d rounds\n", ROUNDS);
}
