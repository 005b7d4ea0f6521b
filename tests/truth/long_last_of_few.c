// There are few tasks for each thread, but that is no problem: one of them takes much longer than
// the others and is created last.
// cause: long_last_task
// advice: none
// body: sleeps
// threads: 3 4
// vary: UNIT_US=12000..13000 TASKS=30..33
#include "truth.h"
static void item(int i)
{
    rest(i == TASKS - 1 ? 12 * UNIT_US : UNIT_US);
}
int main(void)
{
    #pragma omp parallel
    #pragma omp single
#ifdef REPAIRED
    for (int i = TASKS - 1; i >= 0; i--) {
#else
    for (int i = 0; i < TASKS; i++) {
#endif
        #pragma omp task firstprivate(i) // <-- cause
        item(i);
    }
    printf("%d\n", TASKS);
}
