// A tree of tasks that stops after one level: three tasks for the threads. The repair goes deeper.
// cause: few_units
// advice: none
// body: sleeps
// threads: 4
// vary: UNIT_US=200000..220000
#include "truth.h"
#ifdef REPAIRED
#define DEPTH 4
#else
#define DEPTH 1
#endif

static long done[81];

static void part(long number, int depth, long us)
{
    if (depth == 0) {
        rest(us);
        done[number % 81]++;
        return;
    }
    for (int i = 0; i < 3; i++) {
        #pragma omp task firstprivate(i) // <-- cause
        part(3 * number + i, depth - 1, us / 3);
    }
}

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    part(0, DEPTH, 6 * UNIT_US);
    printf("%d\n", UNIT_US);
}
