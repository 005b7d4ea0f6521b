/* The shape of a conjugate-gradient solver: one parallel region for all iterations, in which the master
   sends and sums while the others wait at barriers. */
#include <mpi.h>
#include <stdio.h>

enum { ITERATIONS = 8, ROWS = 256 };
static long x[ROWS + 2], y[ROWS + 2], local, dot;

static void halo(int rank, int size)
{
  MPI_Request requests[4];
  int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  int right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  MPI_Irecv(&x[0], 1, MPI_LONG, left, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(&x[ROWS + 1], 1, MPI_LONG, right, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(&x[1], 1, MPI_LONG, left, 0, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(&x[ROWS], 1, MPI_LONG, right, 0, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
  int provided, rank, size;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 1; i <= ROWS; i++)
    x[i] = (rank + 1) * i * i;
#pragma omp parallel
  for (int iteration = 0; iteration < ITERATIONS; iteration++) {
#pragma omp master
    {
      halo(rank, size);
      local = 0;
    }
#pragma omp barrier
#pragma omp for reduction(+ : local)
    for (int i = 1; i <= ROWS; i++) {
      y[i] = (2 * x[i] - x[i - 1] - x[i + 1]) & 0xffff;
      local += y[i] & 7;
    }
#pragma omp master
    MPI_Allreduce(&local, &dot, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
#pragma omp barrier
#pragma omp for
    for (int i = 1; i <= ROWS; i++)
      x[i] = (x[i] + y[i] * dot) & 0xffff;
  }
  if (rank == 0)
    printf("%ld %ld\n", dot, x[1]);
  MPI_Finalize();
  return 0;
}
