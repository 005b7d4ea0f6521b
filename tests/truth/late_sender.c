// A rank does its own part before it sends what the other one waits for. The repair sends first.
// cause: late_sender
// advice: none
// body: sleeps
// ranks: 2
// instrument: --functions
// mpi-wait: both
// vary: LATE=rank UNIT_US=2500..3500
#include "truth_mpi.h"
#define ROUNDS (400000 / UNIT_US / 3)

static double halo[1000];

static void own_part(void) // <-- cause
{
    rest(UNIT_US);
}

static void prepare(void)
{
    rest(UNIT_US);
}

static void sender(void)
{
    prepare();
#ifndef REPAIRED
    own_part();
#endif
    MPI_Send(halo, 1000, MPI_DOUBLE, 1 - LATE, 0, MPI_COMM_WORLD);
#ifdef REPAIRED
    own_part();
#endif
}

static void receiver(void)
{
    prepare();
    MPI_Recv(halo, 1000, MPI_DOUBLE, LATE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    rest(UNIT_US);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    for (int round = 0; round < ROUNDS; round++) {
        if (rank == LATE)
            sender();
        else
            receiver();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    end();
}
