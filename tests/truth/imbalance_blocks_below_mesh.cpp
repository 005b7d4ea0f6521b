// Part of imbalance_blocks_below: the mesh.
#include "truth.h"
#define EACH THREADS

static bool is_fine(int block)
{
#ifdef REPAIRED
    return block % EACH == 0;
#else
    return block / EACH == LATE;
#endif
}

static void relax()
{
    #pragma omp parallel for schedule(runtime) // <-- cause
    for (int block = 0; block < THREADS * EACH; block++)
        rest((is_fine(block) ? 4 : 1) * COARSE_US);
}

void step()
{
    relax();
}
