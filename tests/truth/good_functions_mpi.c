// Balanced ranks, which call a function of a tenth of a microsecond often.
// cause: none
// advice: none
// body: computes
// ranks: 2
// instrument: --functions
// vary: CALLS=210000..240000 LENGTH=80..100
#include "truth_mpi.h"

static long chain(long value)
{
    for (int k = 0; k < LENGTH; k++)
        value = value * 5 + k;
    return value;
}

int main(int argc, char **argv)
{
    long sum = 0, all = 0;
    begin(&argc, &argv);
    for (int round = 0; round < 40; round++) {
        for (long i = 0; i < CALLS; i++)
            sum += chain(i + sum);
        MPI_Allreduce(&sum, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    }
    end();
    if (rank == 0)
        printf("%ld\n", all);
}
