// In both ranks one thread runs `smooth` alone, between an Allreduce and a parallel loop.
// cause: serial_part
// advice: none
// body: sleeps
// ranks: 2
// threads: 2 3
// instrument: --functions
// vary: UNIT_US=5000..6000
#include "truth_mpi.h"
#define ROUNDS (200000 / UNIT_US)

static void smooth() // <-- cause
{
#ifdef REPAIRED
    #pragma omp parallel for
    for (int i = 0; i < THREADS; i++)
        rest(UNIT_US / THREADS);
#else
    rest(UNIT_US);
#endif
}

static void multiply()
{
    #pragma omp parallel for
    for (int i = 0; i < THREADS; i++)
        rest(UNIT_US);
}

int main(int argc, char **argv)
{
    double sum = 0;
    begin(&argc, &argv);
    for (int round = 0; round < ROUNDS; round++) {
        multiply();
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        smooth();
    }
    end();
}
