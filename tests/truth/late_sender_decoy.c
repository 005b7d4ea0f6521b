// The sender does two things before it sends, one of them three times as long. A rank that takes
// no part in the message waits in the Allreduce that follows, and longer than the receiver does.
// cause: late_sender
// advice: none
// body: sleeps
// ranks: 3
// instrument: --functions
// vary: UNIT_US=900..1200 ORDER=0..1
#include "truth_mpi.h"
#define ROUNDS (380000 / UNIT_US / 9)

static double halo[1000];

static void long_part(void) // <-- cause
{
    rest(3 * UNIT_US);
}

static void short_part(void) // the smaller cause
{
    rest(UNIT_US);
}

static void sender(void)
{
#if defined REPAIRED
    short_part();
#elif ORDER
    short_part();
    long_part();
#else
    long_part();
    short_part();
#endif
    MPI_Send(halo, 1000, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
#ifdef REPAIRED
    long_part();
#endif
}

static void receiver(void)
{
    MPI_Recv(halo, 1000, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    rest(4 * UNIT_US);
}

int main(int argc, char **argv)
{
    double sum = 0;
    begin(&argc, &argv);
    for (int round = 0; round < ROUNDS; round++) {
        rest(UNIT_US);
        if (rank == 0)
            sender();
        else if (rank == 1)
            receiver();
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); // the decoy
    }
    end();
}
