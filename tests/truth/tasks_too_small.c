// A sum by halves, with a task for each half down to a single number.
// cause: tasks_too_small
// advice: cutoff -> -DCUTOFF={value}
// body: computes
// threads: 2
// vary: NUMBERS=1400000..1600000
#include "truth.h"
#ifndef CUTOFF
#ifdef REPAIRED
#define CUTOFF 5000
#else
#define CUTOFF 1
#endif
#endif

static long sum(long from, long to)
{
    long left, right;
    if (to - from == 1)
        return from % 7;
    if (to - from <= CUTOFF)
        return sum(from, (from + to) / 2) + sum((from + to) / 2, to);
    #pragma omp task shared(left) // <-- cause
    left = sum(from, (from + to) / 2);
    right = sum((from + to) / 2, to);
    #pragma omp taskwait
    return left + right;
}

int main(void)
{
    long result;
    #pragma omp parallel
    #pragma omp single
    result = sum(0, NUMBERS);
    printf("%ld\n", result);
}
