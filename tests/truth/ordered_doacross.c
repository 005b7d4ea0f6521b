// A loop whose iterations wait for the one before, although all of their work could be done before.
// cause: ordered
// advice: none
// body: sleeps
// threads: 2
// vary: UNIT_US=900..1100 ROUNDS=10..12
#include "truth.h"
#define CELLS 32

int main(void)
{
    for (int round = 0; round < ROUNDS; round++) {
#ifdef REPAIRED
        #pragma omp parallel for schedule(static, 1)
        for (int i = 0; i < CELLS; i++)
            rest(UNIT_US);
#else
        #pragma omp parallel for ordered(1) schedule(static, 1)
        for (int i = 0; i < CELLS; i++) {
            #pragma omp ordered depend(sink: i - 1) // <-- cause
            rest(UNIT_US);
            #pragma omp ordered depend(source)
        }
#endif
    }
    printf("%d rounds\n", ROUNDS);
}
