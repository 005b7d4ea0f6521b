// A taskloop with one task more than there are threads, again and again.
// cause: few_units
// advice: none
// body: sleeps
// threads: 3 4
// vary: UNIT_US=1000..1200
#include "truth.h"
#ifdef REPAIRED
#define TASKS (12 * THREADS)
#else
#define TASKS (THREADS + 1)
#endif
#define ROUNDS 10

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    for (int round = 0; round < ROUNDS; round++) {
        #pragma omp taskloop num_tasks(TASKS) // <-- cause
        for (int i = 0; i < 12 * (THREADS + 1); i++)
            rest(UNIT_US);
    }
    printf("%d\n", ROUNDS);
}
