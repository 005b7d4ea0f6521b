// Balanced ranks with balanced threads.
// cause: none
// advice: none
// body: sleeps
// ranks: 2
// threads: 2 3
// vary: UNIT_US=9000..11000
#include "truth_mpi.h"
#define ROUNDS (400000 / UNIT_US)

int main(int argc, char **argv)
{
    double sum = 0;
    begin(&argc, &argv);
    for (int round = 0; round < ROUNDS; round++) {
        #pragma omp parallel for
        for (int i = 0; i < THREADS; i++)
            rest(UNIT_US);
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    end();
}
