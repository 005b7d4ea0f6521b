// Part of needless_barrier_below: what once printed.
#include "truth.h"

static void flush()
{
#if !defined REPAIRED && !defined NOWAIT
    #pragma omp barrier // <-- cause
#endif
}

void trace()
{
    flush();
}
