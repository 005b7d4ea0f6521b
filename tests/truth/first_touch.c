// The master thread writes the arrays first, so they lie in the memory of its node alone.
// cause: memory_or_sharing
// advice: none
// body: computes
// threads: 2
// reference: 1
// needs: numa 2
// environment: OMP_PROC_BIND=spread OMP_PLACES=sockets
// vary: SWEEPS=12..14
#include "truth.h"
#include <stdlib.h>
#define LENGTH 8388608L

int main(void)
{
    double *a = malloc(LENGTH * sizeof *a), *b = malloc(LENGTH * sizeof *b);
#ifdef REPAIRED
    #pragma omp parallel for
#endif
    for (long i = 0; i < LENGTH; i++)
        a[i] = 0, b[i] = i % 5;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        #pragma omp parallel for // <-- cause
        for (long i = 0; i < LENGTH; i++)
            a[i] = 0.5 * a[i] + b[i];
    }
    printf("%.6f\n", a[LENGTH - 1]);
}
