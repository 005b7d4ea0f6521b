/* What goes wrong in MPI programs, one kind per run: the first argument says which. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, other;

/* Messages that tests count: one from each of two processes to the other. */
static void exchange(void)
{
  int value = rank;
  MPI_Sendrecv_replace(&value, 1, MPI_INT, other, 5, other, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void truncated(void)
{
  int values[4] = { 0 }, class;
  MPI_Status status;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (rank == 0) {
    MPI_Send(values, 4, MPI_INT, 1, 9, MPI_COMM_WORLD);
    return;
  }
  MPI_Error_class(MPI_Recv(values, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, &status), &class);
  if (class == MPI_ERR_TRUNCATE)
    printf("truncated\n");
}

/* Calls that fail do nothing: neither of these sends anything, and there is nothing to wait for. */
static void failed(void)
{
  int value = 0, failures = 0;
  MPI_Request request;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  exchange();
  failures += MPI_Send(&value, 1, MPI_INT, 7, 0, MPI_COMM_WORLD) != MPI_SUCCESS;
  failures += MPI_Isend(&value, 1, MPI_INT, 7, 0, MPI_COMM_WORLD, &request) != MPI_SUCCESS;
  failures += MPI_Irecv(&value, 1, MPI_INT, 7, 0, MPI_COMM_WORLD, &request) != MPI_SUCCESS;
  failures += MPI_Sendrecv_replace(&value, 1, MPI_INT, 7, 0, 7, 0, MPI_COMM_WORLD,
                                   MPI_STATUS_IGNORE) != MPI_SUCCESS;
  failures += MPI_Bcast(&value, 1, MPI_INT, 7, MPI_COMM_WORLD) != MPI_SUCCESS;
  failures += MPI_Ibcast(&value, 1, MPI_INT, 7, MPI_COMM_WORLD, &request) != MPI_SUCCESS;
  exchange();
  if (rank == 0)
    printf("%d failed\n", failures);
}

/* A message of more than 2 GiB, the same piece over and over again, and one of nothing. */
static void sizes(void)
{
  enum { MIB = 1 << 20, PIECES = 2049 };
  static char piece[MIB];
  MPI_Datatype large, same;
  MPI_Status status;
  MPI_Type_contiguous(MIB, MPI_CHAR, &large);
  MPI_Type_create_resized(large, 0, 0, &same);
  MPI_Type_commit(&same);
  if (rank == 0) {
    MPI_Send(piece, PIECES, same, 1, 0, MPI_COMM_WORLD);
    MPI_Send(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD);
  } else {
    MPI_Recv(piece, PIECES, same, 0, 0, MPI_COMM_WORLD, &status);
    MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

/* Communicators that come and go, among others that stay. */
static void communicators(void)
{
  MPI_Comm kept[3], one, cart;
  int sides[2] = { 2, 1 }, periodic[2] = { 1, 0 };
  for (int i = 0; i < 3; i++)
    MPI_Comm_dup(MPI_COMM_WORLD, &kept[i]);
  for (int i = 0; i < 1000; i++) {
    MPI_Request request;
    MPI_Comm_idup(MPI_COMM_WORLD, &one, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(one);
    MPI_Comm_free(&one);
  }
  MPI_Cart_create(MPI_COMM_WORLD, 2, sides, periodic, 0, &cart);
  MPI_Comm_set_name(cart, "grid");
  MPI_Barrier(cart);
}

/* A million communicators, one after the other, and some at a time. */
static void many(void)
{
  MPI_Comm made[8];
  for (int i = 0; i < 222224; i++) {
    int some = i % 8 + 1;
    for (int j = 0; j < some; j++)
      MPI_Comm_dup(MPI_COMM_SELF, &made[j]);
    for (int j = 0; j < some; j++)
      MPI_Comm_free(&made[j]);
  }
}

/* A message in parts, twice: as far as the library has that. */
static void partitioned(void)
{
#if MPI_VERSION >= 4
  int parts[4] = { 0 };
  MPI_Request request;
  if (rank == 0)
    MPI_Psend_init(parts, 4, 1, MPI_INT, 1, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  else
    MPI_Precv_init(parts, 4, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int i = 0; i < 2; i++) {
    MPI_Start(&request);
    for (int part = 0; rank == 0 && part < 4; part++)
      MPI_Pready(part, request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
  if (rank == 0)
    printf("partitioned\n");
#endif
}

/* Requests that end in other ways, and those of both threads at a time. */
static void requests(void)
{
  MPI_Request request;
  int value = rank, got = -1, done = 0;
  MPI_Irecv(&got, 1, MPI_INT, other, 77, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request pair[2];
  MPI_Send_init(&value, 1, MPI_INT, other, 1, MPI_COMM_WORLD, &pair[0]);
  MPI_Recv_init(&got, 1, MPI_INT, other, 1, MPI_COMM_WORLD, &pair[1]);
  for (int i = 0; i < 4; i++) {
    MPI_Startall(2, pair);
    while (!done)
      MPI_Testall(2, pair, &done, MPI_STATUSES_IGNORE);
    done = 0;
  }
  MPI_Request_free(&pair[0]);
  MPI_Request_free(&pair[1]);
#pragma omp parallel num_threads(2) private(got)
  for (int i = 0; i < 4; i++) {
    int tag = 100;
#ifdef _OPENMP
    extern int omp_get_thread_num(void);
    tag += omp_get_thread_num();
#endif
    MPI_Request both[2];
    int index;
    MPI_Irecv(&got, 1, MPI_INT, other, tag, MPI_COMM_WORLD, &both[0]);
    MPI_Isend(&value, 1, MPI_INT, other, tag, MPI_COMM_WORLD, &both[1]);
    MPI_Waitany(2, both, &index, MPI_STATUS_IGNORE);
    MPI_Wait(&both[1 - index], MPI_STATUS_IGNORE);
  }
}

static void die(const char *how)
{
  if (!strcmp(how, "abort"))
    MPI_Abort(MPI_COMM_WORLD, 3);
  if (!strcmp(how, "exit"))
    exit(4);
  raise(SIGKILL);
}

/* Each leaves a file behind where it has come so far. */
static void hang(void)
{
  char name[16];
  snprintf(name, sizeof name, "there.%d", rank);
  FILE *there = fopen(name, "w");
  if (!there)
    abort();
  fclose(there);
  if (rank == 1)
    pause();
}

int main(int argc, char **argv)
{
  const char *how = argc > 1 ? argv[1] : "";
  int flag, provided;
  MPI_Initialized(&flag);
  if (!strcmp(how, "never"))
    return flag;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  other = 1 - rank;
  if (!strcmp(how, "alone")) {
    int value = 3, got = 0;
    MPI_Sendrecv(&value, 1, MPI_INT, 0, 1, &got, 1, MPI_INT, 0, 1, MPI_COMM_SELF,
                 MPI_STATUS_IGNORE);
    MPI_Finalize();
    return got - 3;
  }
  exchange();
  if (!strcmp(how, "abort") || !strcmp(how, "exit") || !strcmp(how, "kill")) {
    /* Behind it, both have exchanged their messages. */
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
      die(how);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (!strcmp(how, "truncated"))
    truncated();
  if (!strcmp(how, "failed"))
    failed();
  if (!strcmp(how, "sizes"))
    sizes();
  if (!strcmp(how, "communicators"))
    communicators();
  if (!strcmp(how, "requests"))
    requests();
  if (!strcmp(how, "many"))
    many();
  if (!strcmp(how, "partitioned"))
    partitioned();
  if (!strcmp(how, "hang"))
    hang();
  MPI_Finalize();
  MPI_Finalized(&flag);
  return !flag;
}
