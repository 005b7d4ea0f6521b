// Ranks put their borders into the neighbour's window; one rank computes longer before each fence.
// cause: rank_imbalance_steady
// advice: none
// body: sleeps
// ranks: 2 3
// instrument: --functions
// vary: LATE=rank UNIT_US=2500..3500
#include "truth_mpi.h"
#define ROUNDS (400000 / UNIT_US / 3)
static double own[100], border[100];

static void relax(long us) // <-- cause
{
    rest(us);
}

int main(int argc, char **argv)
{
    MPI_Win window;
    begin(&argc, &argv);
    MPI_Win_create(border, sizeof border, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    for (int round = 0; round < ROUNDS; round++) {
#ifdef REPAIRED
        relax(UNIT_US + 2 * UNIT_US / RANKS);
#else
        relax(rank == LATE ? 3 * UNIT_US : UNIT_US);
#endif
        MPI_Put(own, 100, MPI_DOUBLE, (rank + 1) % RANKS, 0, 100, MPI_DOUBLE, window);
        MPI_Win_fence(0, window);
    }
    MPI_Win_free(&window);
    end();
}
