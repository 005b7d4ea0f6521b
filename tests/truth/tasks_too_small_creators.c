// All threads create tasks, each for the rows of its part of a loop, and the tasks are too small.
// cause: tasks_too_small
// advice: cutoff -> -DCUTOFF={value}
// body: computes
// threads: 2
// vary: ROUNDS=36..40
#include "truth.h"
#ifndef CUTOFF
#ifdef REPAIRED
#define CUTOFF 1000
#else
#define CUTOFF 1
#endif
#endif
#define ROWS 40000

static long row[ROWS];

static void update(long from)
{
    for (long i = from; i < from + CUTOFF && i < ROWS; i++)
        for (int k = 0; k < 100; k++)
            row[i] = (7 * row[i] + i + k) % 1009;
}

int main(void)
{
    #pragma omp parallel
    for (int round = 0; round < ROUNDS; round++) {
        #pragma omp for
        for (long i = 0; i < ROWS; i += CUTOFF) {
            #pragma omp task untied // <-- cause
            update(i);
        }
    }
    printf("%ld %ld\n", row[1], row[ROWS - 1]);
}
