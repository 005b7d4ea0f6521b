// Who is late in the first half is early in the second: without the barrier between them all
// threads would be done at the same time. Nothing after it needs what was done before it.
// cause: needless_barrier
// advice: nowait -> -DNOWAIT
// body: sleeps
// threads: 2 4 8
// vary: UNIT_US=2500..3500 ROUNDS=22..24 ODD=0..1
#include "truth.h"

int main(void)
{
    #pragma omp parallel
    for (int round = 0; round < ROUNDS; round++) {
        int late = omp_get_thread_num() % 2 == ODD;
        rest(late ? 3 * UNIT_US : UNIT_US);
#if !defined REPAIRED && !defined NOWAIT
        #pragma omp barrier // <-- cause
#endif
        rest(late ? UNIT_US : 3 * UNIT_US);
        #pragma omp barrier
    }
    printf("%d rounds\n", ROUNDS);
}
