// The same rank has more to do before each Allreduce.
// cause: rank_imbalance_steady
// advice: none
// body: sleeps
// ranks: 2
// instrument: --functions
// mpi-wait: both
// vary: LATE=rank UNIT_US=2500..3500
#include "truth_mpi.h"
#define ROUNDS (400000 / UNIT_US / 3)

static void relax(void) // <-- cause
{
#ifdef REPAIRED
    rest(2 * UNIT_US);
#else
    rest(rank == LATE ? 3 * UNIT_US : UNIT_US);
#endif
}

int main(int argc, char **argv)
{
    double sum = 0;
    begin(&argc, &argv);
    for (int round = 0; round < ROUNDS; round++) {
        relax();
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    end();
}
