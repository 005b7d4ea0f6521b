/* A usual step of a simulation: work without system calls, a halo of 8 kB, and one Allreduce. Two
   processes; the first one prints the wall time of all steps in seconds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 3000, HALO_BYTES = 8192 };

static char out[HALO_BYTES], in[HALO_BYTES];

static void work(long turns)
{
  for (long i = 0; i < turns; i++)
    __asm__ volatile("" : "+r"(i));
}

int main(int argc, char **argv)
{
  long turns = argc > 1 ? atol(argv[1]) : 300000;
  double value = 1, sum;
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  double begin = MPI_Wtime();
  for (int step = 0; step < STEPS; step++) {
    work(turns);
    MPI_Sendrecv(out, HALO_BYTES, MPI_BYTE, 1 - rank, 0, in, HALO_BYTES, MPI_BYTE, 1 - rank, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  if (rank == 0)
    printf("%.6f\n", MPI_Wtime() - begin);
  MPI_Finalize();
  return 0;
}
