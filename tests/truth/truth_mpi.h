// What the programs with MPI share: they take their time themselves, since starting them takes
// longer than their work.
#ifndef TRUTH_MPI_H
#define TRUTH_MPI_H
#include "truth.h"
#include <mpi.h>

static int rank;
static double started;

static inline void begin(int *argc, char ***argv)
{
    int provided;
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    started = MPI_Wtime();
}

static inline void end(void)
{
    double seconds = MPI_Wtime() - started, longest;
    MPI_Reduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("seconds: %f\n", longest);
    MPI_Finalize();
}

#endif
