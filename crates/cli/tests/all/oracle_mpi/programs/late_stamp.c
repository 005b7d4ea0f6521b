/* Process 0 waits for the second message of process 1, and what was said beside the first one has not
   come in time: nothing is there until the second message is sent. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

static int hides;

/* Stands in front of the library's. */
int PMPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status)
{
  static __typeof__(PMPI_Improbe) *next;
  if (!next)
    next = (__typeof__(next))dlsym(RTLD_NEXT, "PMPI_Improbe");
  *flag = 0;
  return hides ? MPI_SUCCESS : next(source, tag, comm, flag, message, status);
}

int main(int argc, char **argv)
{
  int rank, value = 0, times = argc > 1 ? atoi(argv[1]) : 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) {
    MPI_Send(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
    usleep(200000 * times);
    MPI_Send(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
  } else if (rank == 0) {
    hides = 1;
    MPI_Recv(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    hides = 0;
    MPI_Recv(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
