/* Processes that start others, and that meet others at a port. */
#include <mpi.h>
#include <stdio.h>

/* Both sides say something to each other and part. */
static int talks(MPI_Comm others, int with)
{
  int value = 7, got = 0;
  MPI_Sendrecv(&value, 1, MPI_INT, with, 0, &got, 1, MPI_INT, with, 0, others, MPI_STATUS_IGNORE);
  MPI_Comm_disconnect(&others);
  return got;
}

static void meets(int rank)
{
  char port[MPI_MAX_PORT_NAME];
  int got;
  MPI_Comm others;
  if (rank == 0) {
    MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &others);
  } else {
    MPI_Recv(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &others);
  }
  got = talks(others, 0);
  if (rank == 0) {
    MPI_Close_port(port);
    printf("met %d\n", got);
  }
}

static void spawns(char *program, int rank)
{
  MPI_Comm others;
  char *programs[2] = { program, program };
  int ones[2] = { 1, 1 };
  MPI_Info infos[2] = { MPI_INFO_NULL, MPI_INFO_NULL };
  MPI_Comm_spawn(program, MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others,
                 MPI_ERRCODES_IGNORE);
  int got = talks(others, rank);
  MPI_Comm_spawn_multiple(2, programs, MPI_ARGVS_NULL, ones, infos, 0, MPI_COMM_WORLD, &others,
                          MPI_ERRCODES_IGNORE);
  got += talks(others, rank);
  if (rank == 0)
    printf("spawned %d\n", got);
}

int main(int argc, char **argv)
{
  int rank;
  MPI_Comm parent;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) {
    talks(parent, rank);
  } else {
    meets(rank);
    spawns(argv[0], rank);
  }
  MPI_Finalize();
  return 0;
}
