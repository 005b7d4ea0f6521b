// Each cell gets a task of its own, two calls below, in tasks_too_small_below_cells.cpp.
// cause: tasks_too_small
// advice: cutoff -> -DCUTOFF={value}
// body: computes
// threads: 2
// with: tasks_too_small_below_cells.cpp
// vary: ROUNDS=120..130
#include "truth.h"

void advance();
long checksum();

int main()
{
    #pragma omp parallel
    #pragma omp single
    for (int round = 0; round < ROUNDS; round++) {
        advance();
        #pragma omp taskwait
    }
    printf("%ld\n", checksum());
}
