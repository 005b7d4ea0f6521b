// Four threads for each of two CPUs, and they meet often: a barrier waits for whoever has no CPU.
// cause: oversubscription
// advice: threads -> OMP_NUM_THREADS={value}
// body: computes
// threads: 8
// repaired: OMP_NUM_THREADS=2
// vary: ROUNDS=3200..3500 ITEMS=16..24
#include "truth.h"

int main(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        #pragma omp parallel for // <-- cause
        for (int i = 0; i < ITEMS; i++)
            work(2);
    }
    printf("%d rounds\n", ROUNDS);
}
