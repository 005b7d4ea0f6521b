/* A process that sends 40,000 messages to itself, all of which are under way at the same time. */
#include <mpi.h>
#include <stdio.h>

enum { MANY = 40000 };

int main(int argc, char **argv)
{
  static int sent[MANY], received[MANY];
  static MPI_Request requests[2 * MANY];
  long sum = 0;
  MPI_Init(&argc, &argv);
  for (int i = 0; i < MANY; i++)
    MPI_Irecv(&received[i], 1, MPI_INT, 0, i % 32000, MPI_COMM_WORLD, &requests[i]);
  for (int i = 0; i < MANY; i++) {
    sent[i] = i;
    MPI_Issend(&sent[i], 1, MPI_INT, 0, i % 32000, MPI_COMM_WORLD, &requests[MANY + i]);
  }
  MPI_Waitall(2 * MANY, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < MANY; i++)
    sum += received[i] - i;
  printf("difference %ld\n", sum);
  MPI_Finalize();
  return 0;
}
