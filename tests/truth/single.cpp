// One thread does in `single` what all could do, and the others wait at its end.
// cause: single_master
// advice: none
// body: sleeps
// threads: 3 4 8
// vary: UNIT_US=3000..4000
#include "truth.h"
#define ROUNDS (200000 / UNIT_US)

int main()
{
    #pragma omp parallel
    for (int round = 0; round < ROUNDS; round++) {
#ifdef REPAIRED
        #pragma omp for
        for (int i = 0; i < THREADS; i++)
            rest(UNIT_US / THREADS);
#else
        #pragma omp single // <-- cause
        rest(UNIT_US);
#endif
        #pragma omp for
        for (int i = 0; i < THREADS; i++)
            rest(UNIT_US);
    }
    printf("%d rounds\n", ROUNDS);
}
