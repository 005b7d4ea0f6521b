// A parallel region per row, and a row is done in less time than a region takes to begin and end.
// cause: short_regions
// advice: merge -> -DMERGED
// body: computes
// threads: 2
// vary: ROWS=240000..260000 LENGTH=200..300
#include "truth.h"

static double row[LENGTH];

static void add(long i)
{
    row[i] += 0.5 * row[i] + 1.0;
    if (row[i] > 1e6)
        row[i] = 0;
}

int main(void)
{
#if defined REPAIRED || defined MERGED
    #pragma omp parallel
    for (long k = 0; k < ROWS; k++) {
        #pragma omp for nowait
        for (long i = 0; i < LENGTH; i++)
            add(i);
    }
#else
    for (long k = 0; k < ROWS; k++) {
        #pragma omp parallel for // <-- cause
        for (long i = 0; i < LENGTH; i++)
            add(i);
    }
#endif
    printf("%.6f\n", row[0]);
}
