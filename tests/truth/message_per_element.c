// A message for each number of a column.
// cause: message_per_element
// advice: messages -> -DELEMENTS={value}
// body: computes
// ranks: 2
// vary: ROUNDS=130..140 LENGTH=8000..9000
#include "truth_mpi.h"
#ifndef ELEMENTS
#ifdef REPAIRED
#define ELEMENTS LENGTH
#else
#define ELEMENTS 1
#endif
#endif

static double column[LENGTH];

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    for (int round = 0; round < ROUNDS; round++) {
        for (int from = 0; from < LENGTH; from += ELEMENTS) {
            int count = from + ELEMENTS < LENGTH ? ELEMENTS : LENGTH - from;
            if (rank == 0)
                MPI_Send(&column[from], count, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); // <-- cause
            else
                MPI_Recv(&column[from], count, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
        }
        work(500);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    end();
}
