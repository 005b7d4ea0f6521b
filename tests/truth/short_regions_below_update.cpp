// Part of short_regions_below: the steps.
#include "truth.h"

static double cells[CELLS];

static void update(double by)
{
#if defined REPAIRED || defined MERGED
    #pragma omp for nowait
#else
    #pragma omp parallel for // <-- cause
#endif
    for (long i = 0; i < CELLS; i++)
        cells[i] = 0.5 * cells[i] + by;
}

void step(long number)
{
    update(number % 7);
}

double total()
{
    return cells[0] + cells[CELLS - 1];
}
