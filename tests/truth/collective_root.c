// The root prepares data before each broadcast while the others wait. The repair broadcasts first.
// cause: rank_imbalance_steady
// advice: none
// body: sleeps
// ranks: 3
// instrument: --functions
// vary: UNIT_US=2500..3500
#include "truth_mpi.h"
#define ROUNDS (400000 / UNIT_US / 3)
static double table[100];

static void read_input(void) // <-- cause
{
    rest(2 * UNIT_US);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    for (int round = 0; round < ROUNDS; round++) {
        if (rank == 0) {
#ifdef REPAIRED
            rest(UNIT_US * 2 / 3);
#else
            read_input();
#endif
        }
#ifdef REPAIRED
        else rest(UNIT_US * 2 / 3);
#endif
        MPI_Bcast(table, 100, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        rest(UNIT_US);
    }
    end();
}
