// Each thread keeps the critical region while it does what needs no protection.
// cause: critical
// advice: none
// body: sleeps
// threads: 3 4
// vary: UNIT_US=1500..2500
#include "truth.h"
#define ROUNDS (420000 / UNIT_US / THREADS)

int main(void)
{
    long sum = 0;
    #pragma omp parallel
    for (int round = 0; round < ROUNDS; round++) {
        rest(UNIT_US);
#ifdef REPAIRED
        rest(UNIT_US);
#endif
        #pragma omp critical (tally) // <-- cause
        {
#ifndef REPAIRED
            rest(UNIT_US);
#endif
            sum++;
        }
    }
    printf("%ld\n", sum);
}
