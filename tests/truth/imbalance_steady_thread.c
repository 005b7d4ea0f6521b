// Threads divide the work by hand, and one of them gets twice as much in each round.
// cause: imbalance_steady
// advice: none
// body: sleeps
// threads: 3 4 8
// vary: LATE=thread UNIT_US=3000..5000
#include "truth.h"
#define ROUNDS (200000 / UNIT_US)

static long share(int thread)
{
#ifdef REPAIRED
    (void)thread;
    return UNIT_US * (THREADS + 1) / THREADS;
#else
    return thread == LATE ? 2 * UNIT_US : UNIT_US;
#endif
}

int main(void)
{
    #pragma omp parallel // <-- cause
    for (int round = 0; round < ROUNDS; round++) {
        rest(share(omp_get_thread_num()));
        #pragma omp barrier
    }
    printf("%d rounds\n", ROUNDS);
}
