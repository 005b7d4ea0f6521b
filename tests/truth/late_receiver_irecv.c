// A rank posts its receive after its own work, so the partner's send of a large message waits.
// cause: late_receiver
// advice: none
// body: sleeps
// ranks: 2
// instrument: --functions
// vary: LATE=rank UNIT_US=2500..3500
#include "truth_mpi.h"
#define ROUNDS (400000 / UNIT_US / 3)
#define LENGTH 100000
static double data[LENGTH];

static void update_interior(void) // <-- cause
{
    rest(UNIT_US);
}

int main(int argc, char **argv)
{
    MPI_Request request;
    begin(&argc, &argv);
    for (int round = 0; round < ROUNDS; round++) {
        if (rank == LATE) {
#ifndef REPAIRED
            update_interior();
#endif
            MPI_Irecv(data, LENGTH, MPI_DOUBLE, 1 - LATE, 0, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
#ifdef REPAIRED
            update_interior();
#endif
        } else {
            MPI_Send(data, LENGTH, MPI_DOUBLE, LATE, 0, MPI_COMM_WORLD);
            rest(UNIT_US);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    end();
}
