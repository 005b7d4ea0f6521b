// One thread keeps the lock long, in `refill`; the others wait for it in `take`, which keeps it
// shortly. All wait at the barrier once more.
// cause: lock
// advice: none
// body: sleeps
// threads: 3 4
// instrument: --functions
// vary: LATE=thread UNIT_US=1800..2200 ROUNDS=36..40
#include "truth.h"

static omp_lock_t lock;
static long stock;

static void refill() // <-- cause
{
#ifdef REPAIRED
    rest(3 * UNIT_US);
#endif
    omp_set_lock(&lock);
#ifndef REPAIRED
    rest(3 * UNIT_US);
#endif
    stock++;
    omp_unset_lock(&lock);
}

static void take()
{
    rest(100);
    omp_set_lock(&lock);
    stock++;
    omp_unset_lock(&lock);
    rest(3 * UNIT_US);
}

int main()
{
    omp_init_lock(&lock);
    #pragma omp parallel
    for (int round = 0; round < ROUNDS; round++) {
        if (omp_get_thread_num() == LATE)
            refill();
        else
            take();
        #pragma omp barrier
    }
    omp_destroy_lock(&lock);
    printf("%ld\n", stock);
}
