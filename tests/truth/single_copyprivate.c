// One thread looks for the limits of the next block and hands them to its team (copyprivate). All
// threads could look for them together.
// cause: single_master
// advice: none
// body: sleeps
// threads: 3 4 8
// vary: SEARCH_US=3000..4000
#include "truth.h"
#define ROUNDS (200000 / SEARCH_US)

int main(void)
{
    int blocks = 0;
    #pragma omp parallel
    for (int round = 0; round < ROUNDS; round++) {
        int first, last;
#ifdef REPAIRED
        #pragma omp for
        for (int i = 0; i < THREADS; i++)
            rest(SEARCH_US / THREADS);
#endif
        #pragma omp single copyprivate(first, last) // <-- cause
        {
#ifndef REPAIRED
            rest(SEARCH_US);
#endif
            first = round * THREADS;
            last = first + THREADS;
            blocks++;
        }
        #pragma omp for
        for (int i = first; i < last; i++)
            rest(SEARCH_US);
    }
    printf("%d blocks\n", blocks);
}
