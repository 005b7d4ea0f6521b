// The workers compute before a Reduce; the root does nothing and waits for them.
// cause: rank_imbalance_steady
// advice: none
// body: sleeps
// ranks: 3
// instrument: --functions
// vary: UNIT_US=2500..3500
#include "truth_mpi.h"
#define ROUNDS (400000 / UNIT_US / 3)

static void integrate(long us) // <-- cause
{
    rest(us);
}

int main(int argc, char **argv)
{
    double mine = 1, sum;
    begin(&argc, &argv);
    for (int round = 0; round < ROUNDS; round++) {
#ifdef REPAIRED
        integrate(2 * UNIT_US);
#else
        if (rank > 0)
            integrate(3 * UNIT_US);
#endif
        MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    }
    end();
}
