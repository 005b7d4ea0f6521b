// In two functions the same rank has more to do, three times as much more in one of them. All waits
// are at the Allreduce after a third function, which is balanced.
// cause: rank_imbalance_steady
// advice: none
// body: sleeps
// ranks: 2 3
// instrument: --functions
// vary: LATE=rank UNIT_US=1400..1800 ORDER=0..1
#include "truth_mpi.h"
#define ROUNDS (400000 / UNIT_US / 7)

static void large() // <-- cause
{
#ifdef REPAIRED
    rest(UNIT_US + 3 * UNIT_US / RANKS);
#else
    rest(rank == LATE ? 4 * UNIT_US : UNIT_US);
#endif
}

static void small() // the smaller cause
{
    rest(rank == LATE ? 2 * UNIT_US : UNIT_US);
}

static void balanced()
{
    rest(UNIT_US);
}

int main(int argc, char **argv)
{
    double sum = 0;
    begin(&argc, &argv);
    for (int round = 0; round < ROUNDS; round++) {
#if ORDER
        small();
        large();
#else
        large();
        small();
#endif
        balanced();
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); // the decoy
    }
    end();
}
