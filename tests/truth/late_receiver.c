// A rank does its own part before it receives, and the sender waits until it does.
// cause: late_receiver
// advice: none
// body: sleeps
// ranks: 2
// instrument: --functions
// vary: LATE=rank UNIT_US=2500..3500
#include "truth_mpi.h"
#define ROUNDS (400000 / UNIT_US / 3)

static double halo[1000];

static void own_part(void) // <-- cause
{
    rest(UNIT_US);
}

static void receiver(void)
{
#ifndef REPAIRED
    own_part();
#endif
    MPI_Recv(halo, 1000, MPI_DOUBLE, 1 - LATE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#ifdef REPAIRED
    own_part();
#endif
}

static void sender(void)
{
    MPI_Ssend(halo, 1000, MPI_DOUBLE, LATE, 0, MPI_COMM_WORLD);
    rest(UNIT_US);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    for (int round = 0; round < ROUNDS; round++) {
        rest(UNIT_US);
        if (rank == LATE)
            receiver();
        else
            sender();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    end();
}
