// Two calls below, in short_regions_below_update.cpp, each step forks for a few cells.
// cause: short_regions
// advice: merge -> -DMERGED
// body: computes
// threads: 2
// with: short_regions_below_update.cpp
// vary: STEPS=240000..260000 CELLS=150..250
#include "truth.h"

void step(long number);
double total();

int main()
{
#if defined REPAIRED || defined MERGED
    #pragma omp parallel
    for (long k = 0; k < STEPS; k++)
        step(k);
#else
    for (long k = 0; k < STEPS; k++)
        step(k);
#endif
    printf("%.6f\n", total());
}
