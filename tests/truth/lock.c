// Each thread keeps the lock while it does what needs no protection.
// cause: lock
// advice: none
// body: sleeps
// threads: 3 4
// instrument: --functions
// vary: UNIT_US=1500..2500
#include "truth.h"
#define ROUNDS (420000 / UNIT_US / THREADS)

static omp_lock_t lock;
static long sum;

static void add(void) // <-- cause
{
#ifdef REPAIRED
    rest(UNIT_US);
#endif
    omp_set_lock(&lock);
#ifndef REPAIRED
    rest(UNIT_US);
#endif
    sum++;
    omp_unset_lock(&lock);
}

int main(void)
{
    omp_init_lock(&lock);
    #pragma omp parallel
    for (int round = 0; round < ROUNDS; round++) {
        rest(UNIT_US);
        add();
    }
    omp_destroy_lock(&lock);
    printf("%ld\n", sum);
}
