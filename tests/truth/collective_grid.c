// Ranks in two rows and two columns. One rank is late for the sum of its row, so its row is late for
// the sums of the columns.
// cause: rank_imbalance_steady
// advice: none
// body: sleeps
// ranks: 4
// instrument: --functions
// vary: LATE=rank UNIT_US=2500..3500
#include "truth_mpi.h"
#define ROUNDS (400000 / UNIT_US / 3)

static void pivot(long us) // <-- cause
{
    rest(us);
}

static void update(void) { rest(UNIT_US); }

int main(int argc, char **argv)
{
    double sum = 0;
    MPI_Comm row, column;
    begin(&argc, &argv);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &row);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &column);
    for (int round = 0; round < ROUNDS; round++) {
#ifdef REPAIRED
        pivot(UNIT_US / 2);
#else
        if (rank == LATE)
            pivot(2 * UNIT_US);
#endif
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, row);
        update();
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_MAX, column);
    }
    end();
}
