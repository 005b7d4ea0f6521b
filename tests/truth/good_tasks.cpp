// Many tasks, each long enough, one creator that is fast enough.
// cause: none
// advice: none
// body: computes
// threads: 2
// vary: TASKS=1500..1700
#include "truth.h"

int main()
{
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < TASKS; i++) {
        #pragma omp task
        work(450);
    }
    printf("%d tasks\n", TASKS);
}
