// Two places of one parallel region use a lock. The first keeps it long, the others queue at the
// second. Functions are not measured, so that only the calls tell the places apart.
// cause: lock
// advice: none
// body: sleeps
// threads: 3 4
// vary: LATE=thread UNIT_US=1800..2200 ROUNDS=36..40
#include "truth.h"
static omp_lock_t lock;
static long length;
int main() {
    omp_init_lock(&lock);
    #pragma omp parallel
    for (int round = 0; round < ROUNDS; round++) {
        if (omp_get_thread_num() == LATE) {
#ifdef REPAIRED
            rest(3 * UNIT_US);
#endif
            omp_set_lock(&lock); // <-- cause
#ifndef REPAIRED
            rest(3 * UNIT_US);
#endif
            length++;
            omp_unset_lock(&lock);
        } else {
            rest(100);
            omp_set_lock(&lock);
            length++;
            omp_unset_lock(&lock);
            rest(3 * UNIT_US);
        }
        #pragma omp barrier
    }
    printf("%ld\n", length);
}
