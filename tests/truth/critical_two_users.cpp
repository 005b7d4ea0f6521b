// One thread keeps the critical region long, at one place; the others wait at another place, where
// it is kept shortly. The place to repair is the first.
// cause: critical
// advice: none
// body: sleeps
// threads: 3 4
// vary: LATE=thread UNIT_US=1800..2200 ROUNDS=36..40
#include "truth.h"

static long table;

static void rebuild()
{
#ifdef REPAIRED
    rest(3 * UNIT_US);
#endif
    #pragma omp critical (table) // <-- cause
    {
#ifndef REPAIRED
        rest(3 * UNIT_US);
#endif
        table++;
    }
}

static void look_up()
{
    #pragma omp critical (table)
    table++;
    rest(3 * UNIT_US);
}

int main()
{
    #pragma omp parallel
    for (int round = 0; round < ROUNDS; round++) {
        if (omp_get_thread_num() == LATE) {
            rebuild();
        } else {
            rest(100);
            look_up();
        }
        #pragma omp barrier
    }
    printf("%ld\n", table);
}
