// A taskgroup around the tasks of each column, although columns do not need each other.
// cause: taskwait_in_loop
// advice: none
// body: sleeps
// threads: 4
// vary: UNIT_US=2500..3500
#include "truth.h"
#define COLUMNS (240000 / UNIT_US)

static int done[COLUMNS][3];

static void column(int c)
{
    for (int i = 0; i < 3; i++) {
        #pragma omp task firstprivate(i)
        {
            rest(UNIT_US);
            done[c][i] = 1;
        }
    }
}

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    for (int c = 0; c < COLUMNS; c++) {
#ifndef REPAIRED
        #pragma omp taskgroup // <-- cause
#endif
        column(c);
    }
    printf("%d\n", done[COLUMNS - 1][2]);
}
