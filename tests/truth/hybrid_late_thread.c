// One thread of one rank has more to do in a loop, so its rank comes late to each reduction. The repair
// spreads the work over the threads of this rank.
// cause: imbalance_steady
// advice: none
// body: sleeps
// ranks: 2
// threads: 3
// vary: LATE=rank SLOW=thread UNIT_US=2500..3500
#include "truth_mpi.h"
#define ROUNDS (400000 / UNIT_US / 4)

static long cost(int i)
{
#ifdef REPAIRED
    (void)i;
    return rank == LATE ? 2 * UNIT_US : UNIT_US;
#else
    return rank == LATE && i == SLOW ? 4 * UNIT_US : UNIT_US;
#endif
}

int main(int argc, char **argv)
{
    double sum = 0;
    begin(&argc, &argv);
    for (int round = 0; round < ROUNDS; round++) {
        #pragma omp parallel
        {
            #pragma omp for schedule(static, 1) // <-- cause
            for (int i = 0; i < THREADS; i++)
                rest(cost(i));
        }
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    end();
}
