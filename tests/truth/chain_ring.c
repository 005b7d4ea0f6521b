// Each rank waits for its predecessor's message before it does its part, though its part does not
// need the message: one rank works at a time.
// cause: serialised_chain
// advice: none
// body: sleeps
// ranks: 2 3
// vary: UNIT_US=4000..6000
#include "truth_mpi.h"
#define ROUNDS (400000 / UNIT_US / RANKS)

int main(int argc, char **argv)
{
    double token = 0;
    begin(&argc, &argv);
    for (int round = 0; round < ROUNDS; round++) {
#ifdef REPAIRED
        rest(UNIT_US);
#endif
        if (rank > 0)
            MPI_Recv(&token, 1, MPI_DOUBLE, rank - 1, 0, // <-- cause
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#ifndef REPAIRED
        rest(UNIT_US);
#endif
        if (rank < RANKS - 1)
            MPI_Send(&token, 1, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    end();
}
