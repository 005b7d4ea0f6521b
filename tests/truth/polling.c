// A rank looks for messages after each small piece of its work, and hardly ever one has come. The
// repair looks a thousand times less often.
// cause: polling
// advice: none
// body: computes
// ranks: 2
// vary: PIECES=600000..650000
#include "truth_mpi.h"
#ifdef REPAIRED
#define EVERY 1000
#else
#define EVERY 1
#endif

int main(int argc, char **argv)
{
    long seen = 0;
    begin(&argc, &argv);
    for (long piece = 0; piece < PIECES; piece++) {
        int found = 0;
        if (piece % EVERY == 0)
            MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE); // <-- cause
        seen += found;
        for (int i = 0; i < 500; i++)
            __asm__ volatile("" : "+r"(i));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("%ld\n", seen);
    end();
}
