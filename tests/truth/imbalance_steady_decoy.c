// In two loops the same thread has more to do, three times as much more in one of them. Neither
// waits; the threads wait at the end of a third loop, which is balanced.
// cause: imbalance_steady
// advice: none
// body: sleeps
// threads: 3 4 8
// vary: LATE=thread UNIT_US=2200..2800 ROUNDS=18..20 ORDER=0..1
#include "truth.h"

static void large(void)
{
    #pragma omp for nowait // <-- cause
    for (int i = 0; i < THREADS; i++) {
#ifdef REPAIRED
        rest(UNIT_US + 3 * UNIT_US / THREADS);
#else
        rest(i == LATE ? 4 * UNIT_US : UNIT_US);
#endif
    }
}

static void small(void)
{
    #pragma omp for nowait // the smaller cause
    for (int i = 0; i < THREADS; i++)
        rest(i == LATE ? 2 * UNIT_US : UNIT_US);
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
        #pragma omp for // the decoy
        for (int i = 0; i < THREADS; i++)
            rest(UNIT_US);
    }
    printf("%d rounds\n", ROUNDS);
}
