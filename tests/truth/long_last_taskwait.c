// In each phase one thread creates tasks for the blocks of a mesh and waits for them. Libraries let
// this thread begin with the last task, and the others with the first. One block is the largest, and
// the threads come to it when the others are nearly done. The repair creates it first.
// cause: long_last_task
// advice: none
// body: sleeps
// threads: 2 3 4
// vary: UNIT_US=1800..2200 PHASES=7..8
#include "truth.h"
#define BLOCKS (6 * THREADS)
#ifdef REPAIRED
#define LARGEST 0
#else
#define LARGEST (BLOCKS * (THREADS - 1) / THREADS)
#endif
static long done[BLOCKS];

static void refine(int block)
{
    rest(block == LARGEST ? 6 * UNIT_US : UNIT_US);
    done[block]++;
}

static void phase(void)
{
    for (int block = 0; block < BLOCKS; block++) {
        #pragma omp task firstprivate(block) // <-- cause
        refine(block);
    }
    #pragma omp taskwait
}

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    for (int p = 0; p < PHASES; p++)
        phase();
    printf("%ld\n", done[0] + done[BLOCKS - 1]);
}
