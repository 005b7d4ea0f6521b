// Part of late_sender_below: the exchange.
#include "truth_mpi.h"

static double halo[1000];

static void compress() // <-- cause
{
    rest(UNIT_US);
}

static void send()
{
#ifndef REPAIRED
    compress();
#endif
    MPI_Send(halo, 1000, MPI_DOUBLE, 1 - LATE, 0, MPI_COMM_WORLD);
#ifdef REPAIRED
    compress();
#endif
}

void exchange(int me)
{
    if (me == LATE) {
        send();
    } else {
        MPI_Recv(halo, 1000, MPI_DOUBLE, LATE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        rest(UNIT_US);
    }
}
