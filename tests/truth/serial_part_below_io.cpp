// Part of serial_part_below: what saves results.
#include "truth.h"

static void format() // <-- cause
{
#ifdef REPAIRED
    #pragma omp parallel for
    for (int i = 0; i < THREADS; i++)
        rest(UNIT_US / THREADS);
#else
    rest(UNIT_US);
#endif
}

void save()
{
    format();
}
