/* The shape of a multigrid solver: on each coarser grid half of the processes go on, in a communicator
   of their own, and hand their results back. */
#include <mpi.h>
#include <stdio.h>

enum { CYCLES = 3 };
static long values[32];

static void smooth(void)
{
#pragma omp parallel for
  for (int i = 0; i < 32; i++)
    values[i] = (3 * values[i] + i) & 0xfff;
}

static void cycle(MPI_Comm level)
{
  int rank, size;
  MPI_Comm coarser;
  MPI_Comm_rank(level, &rank);
  MPI_Comm_size(level, &size);
  smooth();
  if (size == 1)
    return;
  MPI_Comm_split(level, rank % 2 ? MPI_UNDEFINED : 0, rank, &coarser);
  if (rank % 2) {
    MPI_Send(values, 32, MPI_LONG, rank - 1, 0, level);
    MPI_Recv(values, 32, MPI_LONG, rank - 1, 1, level, MPI_STATUS_IGNORE);
  } else {
    long of_other[32];
    MPI_Recv(of_other, 32, MPI_LONG, rank + 1, 0, level, MPI_STATUS_IGNORE);
    for (int i = 0; i < 32; i++)
      values[i] = (values[i] + of_other[i]) & 0xfff;
    cycle(coarser);
    MPI_Comm_free(&coarser);
    MPI_Send(values, 32, MPI_LONG, rank + 1, 1, level);
  }
  smooth();
}

int main(int argc, char **argv)
{
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 32; i++)
    values[i] = rank + i;
  for (int i = 0; i < CYCLES; i++)
    cycle(MPI_COMM_WORLD);
  if (rank == 0)
    printf("%ld %ld\n", values[0], values[31]);
  MPI_Finalize();
  return 0;
}
