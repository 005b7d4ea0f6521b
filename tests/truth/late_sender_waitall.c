// Two ranks exchange halos with Irecv, Send and Waitall. One of them does its inner part before it
// sends, so the other one waits in Waitall. The repair sends first.
// cause: late_sender
// advice: none
// body: sleeps
// ranks: 2
// instrument: --functions
// vary: LATE=rank UNIT_US=2500..3500
#include "truth_mpi.h"
#define ROUNDS (400000 / UNIT_US / 3)
#define LENGTH 100

static double out[LENGTH], in[LENGTH];

static void inner_part(void) // <-- cause
{
    rest(UNIT_US);
}

static void outer_part(void)
{
    rest(UNIT_US);
}

static void exchange(void)
{
    MPI_Request request[1];
    int other = 1 - rank;
    MPI_Irecv(in, LENGTH, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, &request[0]);
#ifndef REPAIRED
    if (rank == LATE)
        inner_part();
#endif
    MPI_Send(out, LENGTH, MPI_DOUBLE, other, 0, MPI_COMM_WORLD);
#ifdef REPAIRED
    if (rank == LATE)
        inner_part();
#endif
    MPI_Waitall(1, request, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    for (int round = 0; round < ROUNDS; round++) {
        outer_part();
        exchange();
        if (rank != LATE)
            inner_part();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    end();
}
