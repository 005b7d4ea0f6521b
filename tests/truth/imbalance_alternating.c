// In each round another thread has more to do; over all rounds the threads are balanced.
// cause: imbalance_changing
// advice: none
// body: sleeps
// threads: 3 4 8
// vary: LATE=thread UNIT_US=3000..4000
#include "truth.h"
#define ROUNDS (120000 / UNIT_US / THREADS * THREADS + THREADS)

int main(void)
{
    #pragma omp parallel
    for (int round = 0; round < ROUNDS; round++) {
        #pragma omp for schedule(static) // <-- cause
        for (int i = 0; i < THREADS; i++) {
#ifdef REPAIRED
            rest(UNIT_US + 2 * UNIT_US / THREADS);
#else
            rest((round + LATE) % THREADS == i ? 3 * UNIT_US : UNIT_US);
#endif
        }
    }
    printf("%d rounds\n", ROUNDS);
}
