// A merge sort that makes a task of each half, down to pieces of two numbers.
// cause: tasks_too_small
// advice: cutoff -> -DCUTOFF={value}
// body: computes
// threads: 2
// vary: NUMBERS=1000000..1100000
#include <algorithm>
#include <vector>
#include "truth.h"
#ifndef CUTOFF
#ifdef REPAIRED
#define CUTOFF 5000
#else
#define CUTOFF 1
#endif
#endif

static void sort_range(long *from, long *to, long *spare)
{
    long size = to - from;
    if (size < 2)
        return;
    if (size <= CUTOFF) {
        std::sort(from, to);
        return;
    }
    long *middle = from + size / 2;
    #pragma omp taskgroup
    {
        #pragma omp task // <-- cause
        sort_range(from, middle, spare);
        sort_range(middle, to, spare + size / 2);
    }
    std::merge(from, middle, middle, to, spare);
    std::copy(spare, spare + size, from);
}

int main()
{
    std::vector<long> numbers(NUMBERS), spare(NUMBERS);
    for (long i = 0; i < NUMBERS; i++)
        numbers[i] = drawn(i, 1, 1000000);
    #pragma omp parallel
    #pragma omp single
    sort_range(numbers.data(), numbers.data() + NUMBERS, spare.data());
    printf("%ld %ld\n", numbers[0], numbers[NUMBERS / 2]);
}
