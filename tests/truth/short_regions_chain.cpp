// A step is a chain of short parallel regions, none of which is worth a look alone. The repair makes
// one region of the whole chain.
// cause: short_regions
// advice: merge -> -DMERGED
// body: computes
// threads: 2
// vary: STEPS=60000..65000 CELLS=80..120
#include "truth.h"
static double force[CELLS], speed[CELLS], place[CELLS], energy[CELLS];

static void accelerate()
{
#if defined REPAIRED || defined MERGED
    #pragma omp for nowait
#else
    #pragma omp parallel for // <-- cause
#endif
    for (int i = 0; i < CELLS; i++)
        force[i] = 1 - 0.5 * place[i];
#if defined REPAIRED || defined MERGED
    #pragma omp for nowait
#else
    #pragma omp parallel for
#endif
    for (int i = 0; i < CELLS; i++)
        speed[i] = 0.9 * speed[i] + 0.01 * force[i];
}

static void move()
{
#if defined REPAIRED || defined MERGED
    #pragma omp for nowait
#else
    #pragma omp parallel for
#endif
    for (int i = 0; i < CELLS; i++)
        place[i] += 0.01 * speed[i];
#if defined REPAIRED || defined MERGED
    #pragma omp for nowait
#else
    #pragma omp parallel for
#endif
    for (int i = 0; i < CELLS; i++)
        energy[i] = speed[i] * speed[i] + place[i];
}

static void step()
{
#if defined REPAIRED || defined MERGED
    #pragma omp parallel
#endif
    {
        accelerate();
        move();
    }
}

int main()
{
    for (int k = 0; k < STEPS; k++)
        step();
    printf("%.6f\n", energy[0] + energy[CELLS - 1]);
}
