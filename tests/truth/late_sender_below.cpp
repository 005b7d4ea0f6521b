// The late message is sent two calls below, in late_sender_below_halo.cpp, after a part of the work
// that could wait.
// cause: late_sender
// advice: none
// body: sleeps
// ranks: 2
// instrument: --functions
// with: late_sender_below_halo.cpp
// vary: LATE=rank UNIT_US=2500..3500
#include "truth_mpi.h"
#define ROUNDS (400000 / UNIT_US / 3)

void exchange(int rank);

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    for (int round = 0; round < ROUNDS; round++) {
        rest(UNIT_US);
        exchange(rank);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    end();
}
