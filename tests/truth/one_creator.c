// One thread prepares and creates all tasks, and preparing takes nearly as long as doing them: the
// others wait for tasks. The repair lets each thread create its share.
// cause: one_creator
// advice: none
// body: sleeps
// threads: 3 4
// vary: UNIT_US=1800..2200
#include "truth.h"
#define TASKS (400000 / UNIT_US / THREADS * THREADS)

static long done;

static void prepare_and_create(void)
{
    rest(UNIT_US);
    #pragma omp task // <-- cause
    {
        rest(UNIT_US);
        #pragma omp atomic
        done++;
    }
}

int main(void)
{
    #pragma omp parallel
    {
#ifdef REPAIRED
        #pragma omp for
        for (int i = 0; i < TASKS; i++)
            prepare_and_create();
#else
        #pragma omp single
        for (int i = 0; i < TASKS; i++)
            prepare_and_create();
#endif
    }
    printf("%ld\n", done);
}
