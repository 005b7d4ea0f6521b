// One rank formats longer before all ranks write their parts of a file together.
// cause: rank_imbalance_steady
// advice: none
// body: sleeps
// ranks: 2
// instrument: --functions
// vary: LATE=rank UNIT_US=2500..3500
#include "truth_mpi.h"
#define ROUNDS (400000 / UNIT_US / 3)
#define MODE (MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE)
static double part[100];

static void format(long us) // <-- cause
{
    rest(us);
}

int main(int argc, char **argv)
{
    MPI_File file;
    begin(&argc, &argv);
    MPI_File_open(MPI_COMM_WORLD, "collective_file.out", MODE, MPI_INFO_NULL, &file);
    for (int round = 0; round < ROUNDS; round++) {
#ifdef REPAIRED
        format(2 * UNIT_US);
#else
        format(rank == LATE ? 3 * UNIT_US : UNIT_US);
#endif
        MPI_File_write_at_all(file, rank * sizeof part, part, 100, MPI_DOUBLE, MPI_STATUS_IGNORE);
    }
    MPI_File_close(&file);
    end();
}
