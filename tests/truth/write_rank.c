// Rank 0 writes the results of all ranks to a reader while the others wait at a barrier. With the
// repair, each rank writes its own results. Two blocks take no time, since the reader has one and
// the pipe has room for one.
// cause: rank_imbalance_steady
// advice: none
// body: sleeps
// ranks: 3 4
// run: --io
// vary: UNIT_US=1500..2500
#define _GNU_SOURCE
#include "truth_mpi.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#define ROUNDS (420000 / UNIT_US / (RANKS + 2))
#define BLOCK 4096

static char blocks[(RANKS + 2) * BLOCK];

// A process that reads from a pipe with room for one block.
static pid_t start_reader(int *out)
{
    int ends[2];
    if (pipe(ends) || fcntl(ends[1], F_SETPIPE_SZ, BLOCK) < 0)
        return 0;
    *out = ends[1];
    pid_t child = fork();
    while (child == 0 && read(ends[0], blocks, BLOCK) > 0)
        rest(UNIT_US);
    return child;
}

int main(int argc, char **argv)
{
    int out;
    pid_t reader = start_reader(&out);
    if (reader <= 0)
        return 1;
    begin(&argc, &argv);
    for (int round = 0; round < ROUNDS; round++) {
#ifdef REPAIRED
        int more = 1;
#else
        int more = rank == 0 ? RANKS : 0;
#endif
        rest(2 * UNIT_US);
        if (write(out, blocks, (2 + more) * BLOCK) < 0) // <-- cause
            return 1;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    kill(reader, SIGKILL);
    waitpid(reader, NULL, 0);
    end();
}
