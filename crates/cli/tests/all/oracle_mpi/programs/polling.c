/* Asks again and again for what nobody sends. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
  int rounds = atoi(argv[1]), flag;
  MPI_Init(&argc, &argv);
  for (int i = 0; i < rounds; i++)
    MPI_Iprobe(0, 0, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
