// How long a thread's part takes is random; it does not depend on the thread.
// cause: imbalance_changing
// advice: none
// body: sleeps
// threads: 3 4 8
// vary: START=1..1000000 UNIT_US=4000..5000 ROUNDS=48..52
#include "truth.h"

static long cost(int round, int part)
{
    return UNIT_US / 5 + drawn(START + round, part, 2 * UNIT_US);
}

[[maybe_unused]] static long mean(int round)
{
    long sum = 0;
    for (int part = 0; part < THREADS; part++)
        sum += cost(round, part);
    return sum / THREADS;
}

int main()
{
    #pragma omp parallel
    for (int round = 0; round < ROUNDS; round++) {
        #pragma omp for schedule(static) // <-- cause
        for (int part = 0; part < THREADS; part++) {
#ifdef REPAIRED
            rest(mean(round));
#else
            rest(cost(round, part));
#endif
        }
    }
    printf("%d rounds\n", ROUNDS);
}
