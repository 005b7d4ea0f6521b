// A triad over arrays that no cache holds: threads wait for memory. The repair makes all sweeps over a block that is in the cache before it goes on to the next.
// cause: memory_or_sharing
// advice: none
// body: computes
// threads: 2
// reference: 1
// vary: SWEEPS=66..73
#include "truth.h"
#define LENGTH 8388608L
#define BLOCK 4096L

static double a[LENGTH], b[LENGTH], c[LENGTH];

static void triad(long from, long to)
{
    for (long i = from; i < to; i++)
        a[i] = 0.5 * a[i] + b[i] + 3.0 * c[i];
}

int main(void)
{
    #pragma omp parallel for
    for (long i = 0; i < LENGTH; i++)
        a[i] = 0, b[i] = i % 5, c[i] = i % 3;
#ifdef REPAIRED
    #pragma omp parallel for
    for (long from = 0; from < LENGTH; from += BLOCK)
        for (int sweep = 0; sweep < SWEEPS; sweep++)
            triad(from, from + BLOCK);
#else
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        #pragma omp parallel for // <-- cause
        for (long from = 0; from < LENGTH; from += BLOCK)
            triad(from, from + BLOCK);
    }
#endif
    printf("%.6f\n", a[LENGTH - 1]);
}
