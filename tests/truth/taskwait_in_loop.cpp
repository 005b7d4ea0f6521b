// After each pair of tasks the creator waits for both, so there are never more than two.
// cause: taskwait_in_loop
// advice: none
// body: sleeps
// threads: 4 8
// vary: UNIT_US=3000..5000
#include "truth.h"
#define PAIRS (400000 / UNIT_US / THREADS * THREADS)

int main()
{
    long done = 0;
    #pragma omp parallel
    #pragma omp single
    for (int pair = 0; pair < PAIRS; pair++) {
        for (int half = 0; half < 2; half++) {
            #pragma omp task shared(done)
            {
                rest(UNIT_US);
                #pragma omp atomic
                done++;
            }
        }
#ifndef REPAIRED
        #pragma omp taskwait // <-- cause
#endif
    }
    printf("%ld\n", done);
}
