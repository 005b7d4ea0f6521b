/* A halo exchange by persistent requests: whichever arrives first is worked on first. */
#include <mpi.h>
#include <stdio.h>

enum { STEPS = 10, WIDTH = 64 };
static long cells[WIDTH], ghosts[2][WIDTH];

int main(int argc, char **argv)
{
  int rank, size, index;
  long sum = 0, all = 0;
  MPI_Request requests[4];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int neighbours[2] = { (rank + size - 1) % size, (rank + 1) % size };
  for (int side = 0; side < 2; side++) {
    /* With two processes both sides have one neighbour. */
    MPI_Recv_init(ghosts[side], WIDTH, MPI_LONG, neighbours[side], 1 - side, MPI_COMM_WORLD,
                  &requests[side]);
    MPI_Send_init(cells, WIDTH, MPI_LONG, neighbours[side], side, MPI_COMM_WORLD,
                  &requests[2 + side]);
  }
  for (int i = 0; i < WIDTH; i++)
    cells[i] = rank + i;
  for (int step = 0; step < STEPS; step++) {
    MPI_Startall(4, requests);
    for (int done = 0; done < 4; done++) {
      MPI_Waitany(4, requests, &index, MPI_STATUS_IGNORE);
      if (index < 2) {
#pragma omp parallel for
        for (int i = 0; i < WIDTH; i++)
          ghosts[index][i] &= 0xffff;
      }
    }
#pragma omp parallel for
    for (int i = 0; i < WIDTH; i++)
      cells[i] = (cells[i] + ghosts[0][i] + ghosts[1][i]) & 0xffff;
  }
  for (int i = 0; i < 4; i++)
    MPI_Request_free(&requests[i]);
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < WIDTH; i++)
    sum += cells[i];
  MPI_Reduce(&sum, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%ld\n", all);
  MPI_Finalize();
  return 0;
}
