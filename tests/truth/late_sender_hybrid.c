// A rank's threads filter before the halo is sent; the other rank's threads wait for the halo.
// cause: late_sender
// advice: none
// body: sleeps
// ranks: 2
// threads: 2
// vary: LATE=rank UNIT_US=2500..3500
#include "truth_mpi.h"
#define ROUNDS (400000 / UNIT_US / 3)
static double halo[1000];

static void filter(void)
{
    #pragma omp parallel for // <-- cause
    for (int i = 0; i < THREADS; i++)
        rest(UNIT_US);
}

static void relax(void)
{
    #pragma omp parallel for
    for (int i = 0; i < THREADS; i++)
        rest(UNIT_US);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    for (int round = 0; round < ROUNDS; round++) {
        relax();
        if (rank == LATE) {
#ifndef REPAIRED
            filter();
#endif
            MPI_Send(halo, 1000, MPI_DOUBLE, 1 - LATE, 0, MPI_COMM_WORLD);
#ifdef REPAIRED
            filter();
#endif
        } else {
            MPI_Recv(halo, 1000, MPI_DOUBLE, LATE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            relax();
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    end();
}
