// Ranks test in a loop, with nothing between, whether a reduction is over. One rank is late for it.
// cause: rank_imbalance_steady
// advice: none
// body: sleeps
// ranks: 2 3
// instrument: --functions
// vary: UNIT_US=2500..3500 LATE=rank
#include "truth_mpi.h"
#define ROUNDS (360000 / UNIT_US / 3)

static void assemble() // <-- cause
{
#ifdef REPAIRED
    rest((RANKS + 1) * UNIT_US / RANKS);
#else
    rest(rank == LATE ? 2 * UNIT_US : UNIT_US);
#endif
}

static double sum_of(double own)
{
    double sum;
    int done = 0;
    MPI_Request request;
    MPI_Iallreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    while (!done)
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    return sum;
}

int main(int argc, char **argv)
{
    double sum = 0;
    begin(&argc, &argv);
    for (int round = 0; round < ROUNDS; round++) {
        assemble();
        sum += sum_of(rank);
    }
    if (rank == 0)
        printf("%.0f\n", sum);
    end();
}
