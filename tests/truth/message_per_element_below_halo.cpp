// Part of message_per_element_below: the exchange.
#include "truth_mpi.h"
#ifndef ELEMENTS
#ifdef REPAIRED
#define ELEMENTS LENGTH
#else
#define ELEMENTS 1
#endif
#endif

static double column[LENGTH];

static void pass(int me, int from, int count)
{
    if (me == 0)
        MPI_Send(&column[from], count, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); // <-- cause
    else
        MPI_Recv(&column[from], count, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void step(int me)
{
    for (int from = 0; from < LENGTH; from += ELEMENTS)
        pass(me, from, from + ELEMENTS < LENGTH ? ELEMENTS : LENGTH - from);
}
