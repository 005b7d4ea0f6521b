// A rank's parallel loop has more to do than the other rank's; within each rank it is balanced.
// cause: rank_imbalance_steady
// advice: none
// body: sleeps
// ranks: 2
// threads: 2 3
// vary: LATE=rank UNIT_US=2500..3500
#include "truth_mpi.h"
#define ROUNDS (400000 / UNIT_US / 3)

static long cost(void)
{
#ifdef REPAIRED
    return 2 * UNIT_US;
#else
    return rank == LATE ? 3 * UNIT_US : UNIT_US;
#endif
}

int main(int argc, char **argv)
{
    double sum = 0;
    begin(&argc, &argv);
    for (int round = 0; round < ROUNDS; round++) {
        #pragma omp parallel for // <-- cause
        for (int i = 0; i < THREADS; i++)
            rest(cost());
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    end();
}
