// Part of critical_below: the log.
#include "truth.h"

static long written;

static void write()
{
#ifdef REPAIRED
    rest(UNIT_US);
#endif
    #pragma omp critical (log) // <-- cause
    {
#ifndef REPAIRED
        rest(UNIT_US);
#endif
        written++;
    }
}

void report()
{
    write();
}

long lines()
{
    return written;
}
