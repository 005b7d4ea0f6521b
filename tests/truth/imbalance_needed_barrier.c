// One thread is late in the first loop and early in the second. Without the barrier between them its
// work would nearly even out, but the second loop reads what other threads have stored in the first.
// cause: imbalance_steady
// advice: none
// body: sleeps
// threads: 2 3 4
// vary: LATE=thread UNIT_US=2500..3500 ROUNDS=18..20
#include "truth.h"
static long cost[THREADS], flux[THREADS];

static long first(int part)
{
#ifdef REPAIRED
    return (THREADS + 3) * UNIT_US / THREADS;
#else
    return part == LATE ? 4 * UNIT_US : UNIT_US;
#endif
}

int main(void)
{
    #pragma omp parallel
    for (int round = 0; round < ROUNDS; round++) {
        #pragma omp for schedule(static) // <-- cause
        for (int i = 0; i < THREADS; i++) {
            rest(first(i));
            cost[i] = round;
        }
        #pragma omp for schedule(static)
        for (int i = 0; i < THREADS; i++) {
            rest(i == LATE ? UNIT_US : 3 * UNIT_US);
            flux[i] = cost[(i + 1) % THREADS];
        }
    }
    printf("%ld\n", flux[0]);
}
