// Part of tasks_too_small_below: the cells.
#include "truth.h"
#ifndef CUTOFF
#ifdef REPAIRED
#define CUTOFF 1000
#else
#define CUTOFF 1
#endif
#endif

static const long CELLS = 20000;
static long cell[CELLS];

static void update()
{
    for (long from = 0; from < CELLS; from += CUTOFF) {
        #pragma omp task firstprivate(from) // <-- cause
        for (long i = from; i < from + CUTOFF && i < CELLS; i++)
            for (int k = 0; k < 60; k++)
                cell[i] = (7 * cell[i] + i + k) % 1009;
    }
}

void advance()
{
    update();
}

long checksum()
{
    long sum = 0;
    for (long i = 0; i < CELLS; i++)
        sum += cell[i];
    return sum;
}
