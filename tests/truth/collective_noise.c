// How long a rank's part takes before each Allreduce is random.
// cause: rank_imbalance_changing
// advice: none
// body: sleeps
// ranks: 2
// vary: START=1..1000000 UNIT_US=4000..5000 ROUNDS=60..64
#include "truth_mpi.h"

static long cost(int round, int part)
{
    return UNIT_US / 5 + drawn(START + round, part, 2 * UNIT_US);
}

static long mean(int round)
{
    long sum = 0;
    for (int part = 0; part < RANKS; part++)
        sum += cost(round, part);
    return sum / RANKS;
}

int main(int argc, char **argv)
{
    double sum = 0;
    begin(&argc, &argv);
    for (int round = 0; round < ROUNDS; round++) {
#ifdef REPAIRED
        rest(mean(round));
#else
        (void)mean;
        rest(cost(round, rank));
#endif
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); // <-- cause
    }
    end();
}
