// In each step all threads enter a critical region, one after the other in any order, and then meet
// at a barrier. Half of the waiting is there.
// cause: critical
// advice: none
// body: sleeps
// threads: 3 4
// vary: UNIT_US=1800..2200 STEPS=28..30
#include "truth.h"
static long sum;
int main(void)
{
    #pragma omp parallel
    for (int step = 0; step < STEPS; step++) {
        rest(2 * UNIT_US);
#ifdef REPAIRED
        rest(UNIT_US);
#endif
        #pragma omp critical // <-- cause
        {
#ifndef REPAIRED
            rest(UNIT_US);
#endif
            sum++;
        }
        #pragma omp barrier
    }
    printf("%ld\n", sum);
}
