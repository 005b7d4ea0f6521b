// Two phases with short regions, three times as many in one of them. Between the phases one thread
// is busy for a while, and the others have nothing to do; that is small.
// cause: short_regions
// advice: merge -> -DMERGED
// body: computes
// threads: 2
// vary: STEPS=60000..65000 CELLS=200..300 ORDER=0..1
#include "truth.h"

static double cells[CELLS];

static void many(void)
{
#if defined REPAIRED || defined MERGED
    #pragma omp parallel
    for (long k = 0; k < 3 * STEPS; k++) {
        #pragma omp for nowait
        for (long i = 0; i < CELLS; i++)
            cells[i] = 0.5 * cells[i] + 1;
    }
#else
    for (long k = 0; k < 3 * STEPS; k++) {
        #pragma omp parallel for // <-- cause
        for (long i = 0; i < CELLS; i++)
            cells[i] = 0.5 * cells[i] + 1;
    }
#endif
}

static void few(void)
{
    for (long k = 0; k < STEPS; k++) {
        #pragma omp parallel for // the smaller cause
        for (long i = 0; i < CELLS; i++)
            cells[i] = 0.25 * cells[i] + 2;
    }
}

int main(void)
{
#if ORDER
    many();
    work(20000);
    few();
#else
    few();
    work(20000);
    many();
#endif
    printf("%.6f\n", cells[0]);
}
