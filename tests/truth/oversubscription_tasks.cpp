// A taskloop with one iteration in each task, which takes about 100 ns, on more threads than there are
// CPUs: fewer threads would take nearly as long.
// cause: tasks_too_small
// advice: cutoff -> -DCUTOFF={value}
// body: computes
// threads: 4 8
// vary: ROUNDS=8000..9000
#include "truth.h"
#ifndef CUTOFF
#ifdef REPAIRED
#define CUTOFF 30
#else
#define CUTOFF 1
#endif
#endif
#define CELLS 120

static long cell[CELLS];

int main()
{
    #pragma omp parallel
    #pragma omp single
    for (int round = 0; round < ROUNDS; round++) {
        #pragma omp taskloop grainsize(CUTOFF) // <-- cause
        for (long i = 0; i < CELLS; i++)
            for (int k = 0; k < 25; k++)
                cell[i] = (7 * cell[i] + i + k) % 1009;
    }
    printf("%ld %ld\n", cell[1], cell[CELLS - 1]);
}
