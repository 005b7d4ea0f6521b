// One and a half times as many iterations as threads: half of the threads do two of them. The
// repair cuts each in two.
// cause: few_units
// advice: none
// body: sleeps
// threads: 4 8
// vary: UNIT_US=4000..6000
#include "truth.h"
#define ROUNDS (200000 / UNIT_US)
#ifdef REPAIRED
#define PARTS 2
#else
#define PARTS 1
#endif

int main(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        #pragma omp parallel for schedule(static) // <-- cause
        for (int i = 0; i < THREADS * 3 / 2 * PARTS; i++)
            rest(UNIT_US / PARTS);
    }
    printf("%d rounds\n", ROUNDS);
}
