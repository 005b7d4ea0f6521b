// A rank takes halves from two others with Waitany; one of these prepares its half late.
// cause: late_sender
// advice: none
// body: sleeps
// ranks: 3
// instrument: --functions
// vary: UNIT_US=2000..3000
#include "truth_mpi.h"
#define ROUNDS (400000 / UNIT_US / 4)

static double half[2][50];

static void pack() // <-- cause
{
    rest(2 * UNIT_US);
}

static void collect()
{
    MPI_Request requests[2];
    for (int i = 0; i < 2; i++)
        MPI_Irecv(half[i], 50, MPI_DOUBLE, i + 1, 0, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < 2; i++) {
        int which;
        MPI_Waitany(2, requests, &which, MPI_STATUS_IGNORE);
    }
    rest(2 * UNIT_US);
}

static void deliver()
{
#ifndef REPAIRED
    if (rank == 2)
        pack();
#endif
    MPI_Send(half[0], 50, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
#ifdef REPAIRED
    if (rank == 2)
        pack();
#endif
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    for (int round = 0; round < ROUNDS; round++) {
        rest(UNIT_US);
        if (rank == 0)
            collect();
        else
            deliver();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    end();
}
