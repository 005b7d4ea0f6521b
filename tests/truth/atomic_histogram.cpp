// A histogram with few bins, which all threads update atomically. The repair has one per thread.
// cause: atomic
// advice: none
// body: computes
// threads: 2
// vary: SAMPLES=20000000..22000000 BINS=2..4
#include "truth.h"

int main()
{
    long bin[BINS] = {0};
    #pragma omp parallel
    {
        long own[BINS] = {0};
        #pragma omp for schedule(static)
        for (long i = 0; i < SAMPLES; i++) {
            long which = (i * 7 / 3) % BINS;
#ifdef REPAIRED
            own[which]++;
#else
            #pragma omp atomic // <-- cause
            bin[which]++;
#endif
        }
        for (int b = 0; b < BINS; b++) {
            #pragma omp atomic
            bin[b] += own[b];
        }
    }
    for (int b = 0; b < BINS; b++)
        printf("%ld\n", bin[b]);
}
