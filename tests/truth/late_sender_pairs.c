// Two pairs exchange messages; in one pair the sender does other work first. All meet in an Allreduce.
// cause: late_sender
// advice: none
// body: sleeps
// ranks: 4
// instrument: --functions
// vary: UNIT_US=2000..3000
#include "truth_mpi.h"
#define ROUNDS (300000 / UNIT_US / 3)
static double data[200];

static void statistics(void) // <-- cause
{
    rest(UNIT_US);
}

static void compute(void) { rest(UNIT_US); }

int main(int argc, char **argv)
{
    double sum = 0;
    begin(&argc, &argv);
    for (int round = 0; round < ROUNDS; round++) {
        compute();
        if (rank % 2 == 0) {
#ifndef REPAIRED
            if (rank == 2)
                statistics();
#endif
            MPI_Send(data, 200, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
#ifdef REPAIRED
            if (rank == 2)
                statistics();
#endif
        } else {
            MPI_Recv(data, 200, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            compute();
        }
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    end();
}
