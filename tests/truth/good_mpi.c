// Balanced ranks with one message and one Allreduce per round.
// cause: none
// advice: none
// body: sleeps
// ranks: 2
// vary: UNIT_US=9000..11000
#include "truth_mpi.h"
#define ROUNDS (400000 / UNIT_US)

int main(int argc, char **argv)
{
    double halo[1000] = {0}, sum = 0;
    begin(&argc, &argv);
    for (int round = 0; round < ROUNDS; round++) {
        rest(UNIT_US);
        MPI_Sendrecv_replace(halo, 1000, MPI_DOUBLE, 1 - rank, 0, 1 - rank, 0, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    end();
}
