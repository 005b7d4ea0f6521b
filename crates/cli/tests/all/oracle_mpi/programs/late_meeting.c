/* Process 1 waits for process 0 in a non-blocking operation, and what is said behind that is not over
   when the operation is: only who asks more often than at once is told. The argument makes process 0 so
   many times as late. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

static int asked;

/* Stands in front of the library's. */
int PMPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
  static __typeof__(PMPI_Test) *next;
  if (!next)
    next = (__typeof__(next))dlsym(RTLD_NEXT, "PMPI_Test");
  *flag = 0;
  return asked++ < 202 ? MPI_SUCCESS : next(request, flag, status);
}

int main(int argc, char **argv)
{
  int rank, value = 1, sum = 0, times = argc > 1 ? atoi(argv[1]) : 1;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    usleep(200000 * times);
  MPI_Iscan(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return sum != rank + 1;
}
