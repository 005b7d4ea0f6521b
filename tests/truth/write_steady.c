// Each thread writes to a reader of its own. One of them writes more than the others, and its team
// waits for it. Two blocks take no time, since the reader has one and the pipe has room for one.
// cause: imbalance_steady
// advice: none
// body: sleeps
// threads: 3 4
// run: --io
// vary: UNIT_US=1500..2500 LATE=thread
#define _GNU_SOURCE
#include "truth.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#define ROUNDS (420000 / UNIT_US / (THREADS + 2))
#define BLOCK 4096

static char blocks[(THREADS + 2) * BLOCK];

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

int main(void)
{
    int out[THREADS];
    pid_t readers[THREADS];
    long written = 0;
    for (int i = 0; i < THREADS; i++)
        if ((readers[i] = start_reader(&out[i])) <= 0)
            return 1;
    #pragma omp parallel reduction(+:written)
    for (int round = 0; round < ROUNDS; round++) {
        int thread = omp_get_thread_num();
#ifdef REPAIRED
        int more = 1;
#else
        int more = thread == LATE ? THREADS : 0;
#endif
        rest(2 * UNIT_US);
        written += write(out[thread], blocks, (2 + more) * BLOCK); // <-- cause
        #pragma omp barrier
    }
    for (int i = 0; i < THREADS; i++) {
        kill(readers[i], SIGKILL);
        waitpid(readers[i], NULL, 0);
    }
    printf("%ld\n", written);
}
