// A master does work of its own before it hands out the next parts; the workers wait for them.
// cause: late_sender
// advice: none
// body: sleeps
// ranks: 3
// instrument: --functions
// vary: UNIT_US=2000..3000
#include "truth_mpi.h"
#define ROUNDS (300000 / UNIT_US / 2)

static void write_log(void) // <-- cause
{
    rest(UNIT_US);
}

static void master(void)
{
    int part = 0, done;
    for (int round = 0; round < ROUNDS; round++) {
#ifndef REPAIRED
        write_log();
#endif
        for (int to = 1; to < RANKS; to++)
            MPI_Send(&part, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
#ifdef REPAIRED
        write_log();
#endif
        for (int from = 1; from < RANKS; from++)
            MPI_Recv(&done, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void worker(void)
{
    int part;
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Recv(&part, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        rest(UNIT_US);
        MPI_Send(&part, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    if (rank == 0)
        master();
    else
        worker();
    end();
}
