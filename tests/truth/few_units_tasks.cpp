// One task more than threads: one of the threads does a second one, and the others wait. The repair
// cuts each into as many as there are threads.
// cause: few_units
// advice: none
// body: sleeps
// threads: 3 4
// vary: UNIT_US=8000..12000
#include "truth.h"
#define ROUNDS (200000 / UNIT_US)
#ifdef REPAIRED
#define PARTS THREADS
#else
#define PARTS 1
#endif

int main()
{
    for (int round = 0; round < ROUNDS; round++) {
        #pragma omp parallel
        #pragma omp single
        for (int i = 0; i < (THREADS + 1) * PARTS; i++) {
            #pragma omp task // <-- cause
            rest(UNIT_US / PARTS);
        }
    }
    printf("%d rounds\n", ROUNDS);
}
