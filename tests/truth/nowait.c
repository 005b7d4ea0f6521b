// Two loops about different things: one thread is late in the first, the others in the second. The
// barrier at the end of the first is not needed.
// cause: nowait_possible
// advice: nowait -> -DNOWAIT
// body: sleeps
// threads: 2 3 4
// vary: LATE=thread UNIT_US=2500..3500 ROUNDS=22..24
#include "truth.h"
#if defined REPAIRED || defined NOWAIT
#define END nowait
#else
#define END
#endif

int main(void)
{
    #pragma omp parallel
    for (int round = 0; round < ROUNDS; round++) {
        #pragma omp for schedule(static) END // <-- cause
        for (int i = 0; i < THREADS; i++)
            rest(i == LATE ? 3 * UNIT_US : UNIT_US);
        #pragma omp for schedule(static)
        for (int i = 0; i < THREADS; i++)
            rest(i == LATE ? UNIT_US : 3 * UNIT_US);
    }
    printf("%d rounds\n", ROUNDS);
}
