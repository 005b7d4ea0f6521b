// The ranks take turns in having more to do before an Allreduce; over all rounds they are balanced.
// cause: rank_imbalance_changing
// advice: none
// body: sleeps
// ranks: 2
// mpi-wait: both
// vary: LATE=rank LONG_US=9000..11000
#include "truth_mpi.h"
#define SHORT_US 200
#define ROUNDS (400000 / LONG_US / 2 * 2)

int main(int argc, char **argv)
{
    double sum = 0;
    begin(&argc, &argv);
    for (int round = 0; round < ROUNDS; round++) {
#ifdef REPAIRED
        rest((LONG_US + SHORT_US) / 2);
#else
        rest(round % 2 == (rank + LATE) % 2 ? LONG_US : SHORT_US);
#endif
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); // <-- cause
    }
    end();
}
