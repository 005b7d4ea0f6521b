// While the master thread exchanges a large message, the other threads have no work. The repair
// lets them work meanwhile; the master takes what is left.
// cause: idle_during_mpi
// advice: none
// body: sleeps
// ranks: 2
// threads: 3 4
// vary: UNIT_US=700..900
#include "truth_mpi.h"
#include <stdlib.h>
#define LENGTH 3000000
#define ROUNDS (400000 / UNIT_US / 14)

static double *out, *in;

static void exchange(void)
{
    int other = 1 - rank;
    MPI_Sendrecv(out, LENGTH, MPI_DOUBLE, other, 0, // <-- cause
                 in, LENGTH, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    out = calloc(LENGTH, sizeof *out);
    in = calloc(LENGTH, sizeof *in);
    begin(&argc, &argv);
    for (int round = 0; round < ROUNDS; round++) {
#ifndef REPAIRED
        exchange();
#endif
        #pragma omp parallel
        {
#ifdef REPAIRED
            #pragma omp master
            exchange();
#endif
            #pragma omp for schedule(dynamic)
            for (int i = 0; i < 8 * THREADS; i++)
                rest(UNIT_US);
        }
    }
    end();
}
