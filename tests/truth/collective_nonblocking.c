// A rank begins a non-blocking reduction later than the others, which wait for it at its end.
// cause: rank_imbalance_steady
// advice: none
// body: sleeps
// ranks: 2
// instrument: --functions
// vary: LATE=rank UNIT_US=2500..3500
#include "truth_mpi.h"
#define ROUNDS (400000 / UNIT_US / 3)

static void assemble(long us) // <-- cause
{
    rest(us);
}

int main(int argc, char **argv)
{
    double mine = 1, sum;
    MPI_Request request;
    begin(&argc, &argv);
    for (int round = 0; round < ROUNDS; round++) {
#ifdef REPAIRED
        assemble(2 * UNIT_US);
#else
        assemble(rank == LATE ? 3 * UNIT_US : UNIT_US);
#endif
        MPI_Iallreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    end();
}
