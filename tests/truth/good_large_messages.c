// Large messages take long, and no rank is late.
// cause: none
// advice: none
// body: computes
// ranks: 2
// vary: UNIT_US=2000..2500
#include "truth_mpi.h"
#include <stdlib.h>
#define ROUNDS 150
#define LENGTH 500000

int main(int argc, char **argv)
{
    double *out = calloc(LENGTH, 8), *in = calloc(LENGTH, 8);
    begin(&argc, &argv);
    for (int round = 0; round < ROUNDS; round++) {
        work(UNIT_US);
        MPI_Sendrecv(out, LENGTH, MPI_DOUBLE, 1 - rank, 0, in, LENGTH, MPI_DOUBLE, 1 - rank, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    end();
}
