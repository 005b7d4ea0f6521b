// A long task is created last, so it begins when the other tasks are nearly done. The repair
// creates it first.
// cause: long_last_task
// advice: none
// body: sleeps
// threads: 3 4
// vary: UNIT_US=2500..3500 ROUNDS=18..20
#include "truth.h"
#define SHORT (4 * (THREADS - 1))

static long done;

static void create_short()
{
    for (int i = 0; i < SHORT; i++) {
        #pragma omp task
        {
            rest(UNIT_US);
            #pragma omp atomic
            done++;
        }
    }
}

static void create_long()
{
    #pragma omp task // <-- cause
    {
        rest(4 * UNIT_US);
        #pragma omp atomic
        done++;
    }
}

int main()
{
    for (int round = 0; round < ROUNDS; round++) {
        #pragma omp parallel
        #pragma omp single
        {
#ifdef REPAIRED
            create_long();
            create_short();
#else
            create_short();
            create_long();
#endif
        }
    }
    printf("%ld\n", done);
}
