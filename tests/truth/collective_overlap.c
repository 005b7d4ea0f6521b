// The root begins a broadcast and a reduction late. All ranks compute before they wait for both.
// cause: rank_imbalance_steady
// advice: none
// body: sleeps
// ranks: 3
// instrument: --functions
// vary: UNIT_US=2500..3500
#include "truth_mpi.h"
#define ROUNDS (400000 / UNIT_US / 4)
static double table[50], mine = 1, sum;

static void read_input(long us) // <-- cause
{
    rest(us);
}

static void compute(void) { rest(UNIT_US); }

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Request all[2];
#ifdef REPAIRED
        read_input(UNIT_US);
#else
        if (rank == 0)
            read_input(3 * UNIT_US);
#endif
        MPI_Ibcast(table, 50, MPI_DOUBLE, 0, MPI_COMM_WORLD, &all[0]);
        MPI_Iallreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &all[1]);
        compute();
        MPI_Waitall(2, all, MPI_STATUSES_IGNORE);
    }
    end();
}
