// Neighbours exchange halos and compute as long; nothing is to be repaired.
// cause: none
// advice: none
// body: sleeps
// ranks: 3
// instrument: --functions
// vary: UNIT_US=4000..5000
#include "truth_mpi.h"
#define ROUNDS (400000 / UNIT_US)
static double out[2][500], in[2][500];

static void relax(void) { rest(UNIT_US); }

int main(int argc, char **argv)
{
    double sum = 1;
    begin(&argc, &argv);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Request all[4];
        int right = (rank + 1) % RANKS, left = (rank + RANKS - 1) % RANKS;
        MPI_Irecv(in[0], 500, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &all[0]);
        MPI_Irecv(in[1], 500, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &all[1]);
        MPI_Isend(out[0], 500, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &all[2]);
        MPI_Isend(out[1], 500, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &all[3]);
        relax();
        MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    end();
}
