/* Process 1 comes late to what the argument says; the other ones wait for it, or it is the root and
   they wait for it, or it waits for them. A second argument makes it so many times as late. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size, sleep_us = 200000;

/* Everybody is here when process 1 begins to do something else. */
static void late(int who)
{
  MPI_Barrier(MPI_COMM_SELF);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == who)
    usleep(sleep_us);
}

static void messages(void)
{
  int value = 0;
  MPI_Request request;
  /* Far from the barrier, which would have the waiting otherwise. */
  if (rank == 1) {
    usleep(sleep_us);
    MPI_Send(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
    usleep(sleep_us);
    MPI_Send_init(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
  } else if (rank == 0) {
    MPI_Recv(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

/* What process 1 begins late is complete late. */
static void icollective(void)
{
  int value = 1, sum = 0;
  MPI_Request request;
  late(1);
  MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  late(1);
  MPI_Ibcast(&value, 1, MPI_INT, 1, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  late(0);
  MPI_Ireduce(&value, &sum, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* The same with requests that are used twice, begun in another order by each process. */
static void persistent(void)
{
#if MPI_VERSION >= 4 || defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 5
  int value = 1, sum = 0, broadcast = 0;
  MPI_Request requests[3];
  MPI_Allreduce_init(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Bcast_init(&broadcast, 1, MPI_INT, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  MPI_Reduce_init(&value, &sum, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[2]);
  for (int i = 0; i < 2; i++) {
    late(1);
    MPI_Start(&requests[rank == 1]);
    MPI_Start(&requests[rank != 1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    late(0);
    MPI_Start(&requests[2]);
    MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < 3; i++)
    MPI_Request_free(&requests[i]);
#else
  icollective();
#endif
}

/* Processes 0 and 1 are neighbours on a line. */
static void neighbours(void)
{
  int value = 1, both[2] = { 0 }, open = 0;
  MPI_Comm line, made;
  MPI_Request request;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &open, 0, &line);
  late(1);
  MPI_Neighbor_allgather(&value, 1, MPI_INT, both, 1, MPI_INT, line);
  late(1);
  MPI_Neighbor_allgather(&value, 1, MPI_INT, both, 1, MPI_INT, line);
  MPI_Comm_idup(line, &made, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_free(&line);
  late(1);
  MPI_Neighbor_allgather(&value, 1, MPI_INT, both, 1, MPI_INT, made);
  MPI_Ineighbor_allgather(&value, 1, MPI_INT, both, 1, MPI_INT, made, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_free(&made);
}

/* Messages over communicators of MPI_Comm_idup; process 1 is late for the second as well. */
static void duplicates(void)
{
  int value = 0;
  MPI_Comm made[2];
  MPI_Request requests[2];
  MPI_Comm_idup(MPI_COMM_WORLD, &made[0], &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Comm_idup(made[0], &made[1], &requests[1]);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  for (int i = 0; i < 2; i++) {
    if (rank == 1) {
      usleep(sleep_us);
      MPI_Send(&value, 1, MPI_INT, 0, 3, made[i]);
    } else if (rank == 0) {
      MPI_Recv(&value, 1, MPI_INT, 1, 3, made[i], MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&made[i]);
  }
}

/* The same between two groups of one process each. */
static void inter(void)
{
  int value = 1, sum = 0, root = rank == 1 ? MPI_ROOT : 0;
  MPI_Comm groups;
  MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 5, &groups);
  late(1);
  if (rank == 1)
    MPI_Send(&value, 1, MPI_INT, 0, 3, groups);
  else
    MPI_Recv(&value, 1, MPI_INT, 0, 3, groups, MPI_STATUS_IGNORE);
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, groups);
  MPI_Bcast(&value, 1, MPI_INT, root, groups);
  MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, root, groups);
  MPI_Comm_free(&groups);
}

/* Who has a higher rank waits for process 0. */
static void scan(void)
{
  int value = 1, sum = 0;
  late(0);
  MPI_Scan(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  late(0);
  MPI_Exscan(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void iscan(void)
{
  int value = 1, sum = 0;
  MPI_Request request;
  late(0);
  MPI_Iscan(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Process 1 has the last part late, of two messages in parts; another one with their tag is between. */
static void parts(void)
{
#if MPI_VERSION >= 4 || defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 5
  int values[6] = { 0 }, value = 0, list[2] = { 1, 2 };
  MPI_Request request;
  if (rank == 1)
    MPI_Psend_init(values, 6, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  if (rank == 0)
    MPI_Precv_init(values, 3, 2, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int i = 0; i < 2 && rank < 2; i++) {
    MPI_Start(&request);
    if (rank == 1) {
      MPI_Send(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
      MPI_Pready_range(3, 5, request);
      MPI_Pready_list(2, list, request);
      usleep(sleep_us);
      MPI_Pready(0, request);
    } else {
      MPI_Recv(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (rank < 2)
    MPI_Request_free(&request);
#else
  messages();
#endif
}

/* Far more communicators than one needs, and a late message in the last one. */
static void many(void)
{
  enum { MANY = 400 };
  static MPI_Comm made[MANY];
  int value = 0;
  for (int i = 0; i < MANY; i++)
    MPI_Comm_dup(MPI_COMM_WORLD, &made[i]);
  late(1);
  if (rank == 1)
    MPI_Send(&value, 1, MPI_INT, 0, 3, made[MANY - 1]);
  else if (rank == 0)
    MPI_Recv(&value, 1, MPI_INT, 1, 3, made[MANY - 1], MPI_STATUS_IGNORE);
  for (int i = 0; i < MANY; i++)
    MPI_Comm_free(&made[i]);
}

/* A duplicate of a duplicate of a communicator between two groups, and late messages in it: process 1
   waits for the begin of each only when it has done other things. */
static void inter_duplicates(void)
{
  int value = 1;
  MPI_Comm groups, made[2];
  MPI_Request request;
  MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 5, &groups);
  for (int i = 0; i < 2; i++) {
    MPI_Comm_idup(i ? made[0] : groups, &made[i], &request);
    if (rank == 1)
      usleep(1000);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Comm_free(&groups);
  MPI_Comm_free(&made[0]);
  late(1);
  if (rank == 1)
    MPI_Send(&value, 1, MPI_INT, 0, 3, made[1]);
  else
    MPI_Recv(&value, 1, MPI_INT, 0, 3, made[1], MPI_STATUS_IGNORE);
  MPI_Comm_free(&made[1]);
}

static const struct {
  const char *name;
  void (*wait)(void);
} ways[] = {
  { "messages", messages }, { "parts", parts }, { "many", many }, { "inter", inter },
  { "inter_duplicates", inter_duplicates }, { "scan", scan }, { "iscan", iscan },
  { "icollective", icollective }, { "persistent", persistent }, { "neighbours", neighbours },
  { "duplicates", duplicates },
};

int main(int argc, char **argv)
{
  const char *how = argc > 1 ? argv[1] : "";
  sleep_us *= argc > 2 ? atoi(argv[2]) : 1;
  int value = 1, sum = 0;
  MPI_Comm pair, again;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
    if (!strcmp(how, ways[i].name))
      ways[i].wait();
  late(strcmp(how, "nxn") ? -1 : 1);
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  late(strcmp(how, "broadcast") ? -1 : 1);
  MPI_Bcast(&value, 1, MPI_INT, 1, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  /* All others of the root are late. */
  if (!strcmp(how, "reduce") && rank != 1)
    usleep(sleep_us);
  MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
  /* Communicators come and go; a message is on its way when one is freed. */
  for (int i = 0; i < 150 && !strcmp(how, "messages"); i++) {
    MPI_Request requests[2];
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair);
    MPI_Comm_dup(pair, &again);
    int own, other;
    MPI_Comm_rank(again, &own);
    other = 1 - own;
    MPI_Irecv(&sum, 1, MPI_INT, other, i, again, &requests[0]);
    MPI_Isend(&value, 1, MPI_INT, other, i, again, &requests[1]);
    MPI_Comm_free(&again);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Comm_free(&pair);
  }
  MPI_Finalize();
  return 0;
}
