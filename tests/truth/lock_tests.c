// Threads test the lock until they have it, and pause between two tests. Each keeps it while it does
// what needs no protection.
// cause: lock
// advice: none
// body: sleeps
// threads: 3 4
// vary: UNIT_US=1500..2500
#include "truth.h"
#define ROUNDS (420000 / UNIT_US / THREADS)

static omp_lock_t lock;
static long sum;

int main(void)
{
    omp_init_lock(&lock);
    #pragma omp parallel
    for (int round = 0; round < ROUNDS; round++) {
        rest(UNIT_US);
#ifdef REPAIRED
        rest(UNIT_US);
#endif
        while (!omp_test_lock(&lock)) // <-- cause
            rest(50);
#ifndef REPAIRED
        rest(UNIT_US);
#endif
        sum++;
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
    printf("%ld\n", sum);
}
