// Between the parallel regions one thread works alone. The repair shares this work too.
// cause: serial_part
// advice: none
// body: sleeps
// threads: 3 4 8
// vary: UNIT_US=3000..4000
#include "truth.h"
#define ROUNDS (200000 / UNIT_US)

int main(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        #pragma omp parallel for // <-- cause
        for (int i = 0; i < THREADS; i++)
            rest(UNIT_US);
#ifdef REPAIRED
        #pragma omp parallel for
        for (int i = 0; i < THREADS; i++)
            rest(UNIT_US / THREADS);
#else
        rest(UNIT_US); // no function, no construct: between two visits of the region
#endif
    }
    printf("%d rounds\n", ROUNDS);
}
