/* All threads call MPI at the same time, each in a communicator of its own. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

enum { ROUNDS = 10, THREADS = 8 };

int main(int argc, char **argv)
{
  int provided, rank, size;
  long sums[THREADS] = { 0 };
  MPI_Comm comms[THREADS];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < THREADS; i++)
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
#pragma omp parallel
  {
    int thread = omp_get_thread_num();
    long token = rank, other, all;
    for (int round = 0; round < ROUNDS; round++) {
      MPI_Sendrecv(&token, 1, MPI_LONG, (rank + 1) % size, round, &other, 1, MPI_LONG,
                   (rank + size - 1) % size, round, comms[thread], MPI_STATUS_IGNORE);
      MPI_Allreduce(&other, &all, 1, MPI_LONG, MPI_MAX, comms[thread]);
      sums[thread] += other + all;
    }
  }
  for (int i = 0; i < THREADS; i++)
    MPI_Comm_free(&comms[i]);
  if (rank == 0)
    printf("%d %ld\n", provided == MPI_THREAD_MULTIPLE, sums[0]);
  MPI_Finalize();
  return 0;
}
