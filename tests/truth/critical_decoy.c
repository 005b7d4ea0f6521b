// Two critical regions, one kept three times as long as the other, and a barrier after them where
// the threads wait for who was served last: a consequence, and the longest waiting.
// cause: critical
// advice: none
// body: sleeps
// threads: 3 4
// vary: UNIT_US=900..1100 ORDER=0..1
#include "truth.h"
#define ROUNDS (420000 / UNIT_US / (4 * THREADS))

static long sum, most;

static void add(void)
{
#ifdef REPAIRED
    rest(3 * UNIT_US);
#endif
    #pragma omp critical (sum) // <-- cause
    {
#ifndef REPAIRED
        rest(3 * UNIT_US);
#endif
        sum++;
    }
}

static void compare(void)
{
    #pragma omp critical (most) // the smaller cause
    {
        rest(UNIT_US);
        most++;
    }
}

int main(void)
{
    #pragma omp parallel
    for (int round = 0; round < ROUNDS; round++) {
        rest(UNIT_US);
#if ORDER
        compare();
        add();
#else
        add();
        compare();
#endif
        #pragma omp barrier // the decoy
    }
    printf("%ld %ld\n", sum, most);
}
