// A rank has posted its receives early, works, and then tests in a loop whether the messages have
// come. They come late, because the sender writes its state before it sends. The repair sends first.
// cause: late_sender
// advice: none
// body: sleeps
// ranks: 2
// instrument: --functions
// vary: UNIT_US=2500..3500
#include "truth_mpi.h"
#define ROUNDS (400000 / UNIT_US / 4)
static double halo[2][10];

static void write_state(void) // <-- cause
{
    rest(2 * UNIT_US);
}

static void relax(void)
{
    rest(UNIT_US);
}

static void send_halo(void)
{
    for (int side = 0; side < 2; side++)
        MPI_Send(halo[side], 10, MPI_DOUBLE, 1, side, MPI_COMM_WORLD);
}

static void receive_halo(void)
{
    int done = 0;
    MPI_Request requests[2];
    for (int side = 0; side < 2; side++)
        MPI_Irecv(halo[side], 10, MPI_DOUBLE, 0, side, MPI_COMM_WORLD, &requests[side]);
    relax();
    while (!done)
        MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
    relax();
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    for (int round = 0; round < ROUNDS; round++) {
        if (rank == 0) {
#ifdef REPAIRED
            send_halo();
            write_state();
#else
            write_state();
            send_halo();
#endif
        } else {
            receive_halo();
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    end();
}
