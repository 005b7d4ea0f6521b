/* Processes meet again and again. */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 20; i++) {
    usleep(2000);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
