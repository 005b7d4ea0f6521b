// Each round another thread is late, and the next round needs nothing of this one: without the
// barrier, all threads are done at the same time.
// cause: imbalance_changing
// advice: nowait -> -DNOWAIT
// body: sleeps
// threads: 2 3 4
// vary: LATE=thread UNIT_US=3000..4000
#include "truth.h"
#define ROUNDS (130000 / UNIT_US / THREADS * THREADS)
#if defined REPAIRED || defined NOWAIT
#define END nowait
#else
#define END
#endif

int main()
{
    #pragma omp parallel
    for (int round = 0; round < ROUNDS; round++) {
        #pragma omp for schedule(static) END // <-- cause
        for (int i = 0; i < THREADS; i++)
            rest((round + LATE) % THREADS == i ? 3 * UNIT_US : UNIT_US);
    }
    printf("%d rounds\n", ROUNDS);
}
