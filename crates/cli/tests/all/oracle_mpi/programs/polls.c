/* Rank 0 asks for a message in each way that MPI has, at first in vain, since the other one sends
   only what it is asked for. Prints how often each function was called. With a number, only so many
   of the ways. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { WAYS = 7, IN_VAIN = 60000 };
static int value, go;
static MPI_Request request = MPI_REQUEST_NULL;

static int iprobe(void)
{
  int flag;
  MPI_Iprobe(1, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  if (flag)
    MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return flag;
}

static int improbe(void)
{
  int flag;
  MPI_Message message;
  MPI_Improbe(1, 0, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
  if (flag)
    MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  return flag;
}

static int test(void)
{
  int flag;
  MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  return flag;
}

static int testany(void)
{
  int flag, index;
  MPI_Testany(1, &request, &index, &flag, MPI_STATUS_IGNORE);
  return flag;
}

static int testsome(void)
{
  int done, index;
  MPI_Testsome(1, &request, &done, &index, MPI_STATUSES_IGNORE);
  return done;
}

static int testall(void)
{
  int flag;
  MPI_Testall(1, &request, &flag, MPI_STATUSES_IGNORE);
  return flag;
}

static int get_status(void)
{
  int flag;
  MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
  if (flag)
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  return flag;
}

static const struct {
  const char *name;
  int (*is_there)(void);
  int posts;
} all[WAYS] = { { "Iprobe", iprobe, 0 }, { "Improbe", improbe, 0 }, { "Test", test, 1 },
  { "Testany", testany, 1 }, { "Testsome", testsome, 1 }, { "Testall", testall, 1 },
  { "Request_get_status", get_status, 1 } };

static void ask(int way)
{
  int calls = 0, there = 0;
  if (all[way].posts)
    MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
  for (; calls < IN_VAIN; calls++)
    there |= all[way].is_there();
  if (there)
    printf("nobody was asked\n");
  MPI_Send(&go, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
  do
    calls++;
  while (!all[way].is_there());
  printf("MPI_%s %d\n", all[way].name, calls);
}

static void answer(void)
{
  MPI_Recv(&go, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
  int rank, ways = argc > 1 ? atoi(argv[1]) : WAYS;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int way = 0; way < ways; way++) {
    if (rank == 0)
      ask(way);
    else
      answer();
  }
  MPI_Finalize();
  return 0;
}
