// A barrier two calls below, in needless_barrier_below_trace.cpp, that was once of use to debug.
// cause: needless_barrier
// advice: nowait -> -DNOWAIT
// body: sleeps
// threads: 2 4
// with: needless_barrier_below_trace.cpp
// vary: UNIT_US=2500..3500 ROUNDS=22..24 ODD=0..1
#include "truth.h"

void trace();

int main()
{
    #pragma omp parallel
    for (int round = 0; round < ROUNDS; round++) {
        bool late = omp_get_thread_num() % 2 == ODD;
        rest(late ? 3 * UNIT_US : UNIT_US);
        trace();
        rest(late ? UNIT_US : 3 * UNIT_US);
        #pragma omp barrier
    }
    printf("%d rounds\n", ROUNDS);
}
