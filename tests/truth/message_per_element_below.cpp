// A message for each number, two calls below, in message_per_element_below_halo.cpp.
// cause: message_per_element
// advice: messages -> -DELEMENTS={value}
// body: computes
// ranks: 2
// with: message_per_element_below_halo.cpp
// vary: ROUNDS=130..140 LENGTH=8000..9000
#include "truth_mpi.h"

void step(int rank);

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    for (int round = 0; round < ROUNDS; round++) {
        work(500);
        step(rank);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    end();
}
