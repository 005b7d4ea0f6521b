// Each task says that it changes the whole table, though it changes one row of it.
// cause: dependences
// advice: none
// body: sleeps
// threads: 3 4 8
// vary: UNIT_US=2000..3000
#include "truth.h"
#define ROWS (400000 / UNIT_US / THREADS * THREADS)

static long row[ROWS];

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < ROWS; i++) {
#ifdef REPAIRED
        #pragma omp task depend(inout : row[i])
#else
        #pragma omp task depend(inout : row[0]) // <-- cause
#endif
        {
            rest(UNIT_US);
            row[i] = i;
        }
    }
    printf("%ld\n", row[ROWS - 1]);
}
