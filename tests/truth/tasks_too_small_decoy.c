// Two places create tasks that are too small, one of them three times as many. The thread that
// waits for them in taskwait seems to lose most of the time.
// cause: tasks_too_small
// advice: cutoff -> -DCUTOFF={value}
// body: computes
// threads: 2
// vary: ROUNDS=140..150 ORDER=0..1
#include "truth.h"
#ifndef CUTOFF
#ifdef REPAIRED
#define CUTOFF 1000
#else
#define CUTOFF 1
#endif
#endif
#define MANY 15000
#define FEW 5000

static long cell[MANY];

static void many(void)
{
    for (long from = 0; from < MANY; from += CUTOFF) {
        #pragma omp task firstprivate(from) // <-- cause
        for (long i = from; i < from + CUTOFF && i < MANY; i++)
            for (int k = 0; k < 60; k++)
                cell[i] = (7 * cell[i] + i + k) % 1009;
    }
    #pragma omp taskwait // the decoy
}

static void few(void)
{
    for (long i = 0; i < FEW; i++) {
        #pragma omp task firstprivate(i) // the smaller cause
        for (int k = 0; k < 60; k++)
            cell[i] = (5 * cell[i] + i + k) % 2003;
    }
    #pragma omp taskwait
}

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    for (int round = 0; round < ROUNDS; round++) {
        if (ORDER)
            many();
        few();
        if (!ORDER)
            many();
    }
    printf("%ld %ld\n", cell[1], cell[MANY - 1]);
}
