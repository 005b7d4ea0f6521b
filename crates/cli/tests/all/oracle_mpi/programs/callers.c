// Two processes exchange messages in two functions, and a third one calls from very many places.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static int number, other, sum;

__attribute__((noinline)) static void exchange_halo(void) {
  int received;
  MPI_Request requests[2];
  MPI_Irecv(&received, 1, MPI_INT, other, 1, MPI_COMM_WORLD, &requests[0]);
  if (number == 1) usleep(20000);
  MPI_Isend(&number, 1, MPI_INT, other, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); // line 14
  sum += received;
}

__attribute__((noinline)) static void exchange_corners(void) {
  int received;
  MPI_Request requests[2];
  MPI_Irecv(&received, 1, MPI_INT, other, 2, MPI_COMM_WORLD, &requests[0]);
  if (number == 0) usleep(10000);
  MPI_Isend(&number, 1, MPI_INT, other, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); // line 24
  sum += received;
}

#define CALL MPI_Comm_rank(MPI_COMM_WORLD, &number);
#define CALLS CALL CALL CALL CALL CALL CALL CALL CALL CALL CALL
__attribute__((noinline)) static void ask_again_and_again(void) {
  CALLS CALLS CALLS CALLS CALLS CALLS CALLS CALLS CALLS CALLS
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &number);
  other = 1 - number;
  for (int i = 0; i < 5; i++) {
    exchange_halo();
    exchange_corners();
  }
  ask_again_and_again();
  if (number == 0) printf("sum %d\n", sum);
  MPI_Finalize();
  return 0;
}
