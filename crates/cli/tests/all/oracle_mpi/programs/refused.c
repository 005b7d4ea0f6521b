/* Calls that fail, with error handlers that return, between some that do not: requests that cannot be
   started, one-sided operations, files; and, where that is asked for, what only one process does wrong. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, other, failures;

static void fails(int result)
{
  failures += result != MPI_SUCCESS;
}

static void starts(void)
{
  int value = 1, got[2];
  MPI_Request pair[3];
  MPI_Recv_init(&got[0], 1, MPI_INT, other, 1, MPI_COMM_WORLD, &pair[0]);
  MPI_Send_init(&value, 1, MPI_INT, other, 1, MPI_COMM_WORLD, &pair[1]);
  MPI_Irecv(&got[1], 1, MPI_INT, other, 2, MPI_COMM_WORLD, &pair[2]);
  /* The last one is not persistent. */
  fails(MPI_Startall(3, pair));
  fails(MPI_Start(&pair[2]));
  MPI_Startall(2, pair);
  MPI_Send(&value, 1, MPI_INT, other, 2, MPI_COMM_WORLD);
  MPI_Waitall(3, pair, MPI_STATUSES_IGNORE);
  MPI_Request_free(&pair[0]);
  MPI_Request_free(&pair[1]);
}

static void windows(void)
{
  int memory[2] = { 0 }, value = 7;
  MPI_Win win, none;
  MPI_Request request;
  fails(MPI_Win_create(memory, -1, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &none));
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  fails(MPI_Win_lock(MPI_LOCK_SHARED, 7, 0, win));
  MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win);
  fails(MPI_Put(&value, -1, MPI_INT, other, 0, 1, MPI_INT, win));
  fails(MPI_Get(&value, 1, MPI_INT, 7, 0, 1, MPI_INT, win));
  fails(MPI_Rput(&value, -1, MPI_INT, other, 0, 1, MPI_INT, win, &request));
  MPI_Win_flush(other, win);
  MPI_Put(&value, 1, MPI_INT, other, 1, 1, MPI_INT, win);
  fails(MPI_Accumulate(&value, 1, MPI_INT, 7, 0, 1, MPI_INT, MPI_SUM, win));
  MPI_Win_unlock(other, win);
  MPI_Win_free(&win);
}

/* What is open for reading alone cannot be written to. */
static void files(void)
{
  int value = 1;
  MPI_File file;
  MPI_Request request;
  MPI_File_open(MPI_COMM_WORLD, "data", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  MPI_File_write_at(file, 4 * rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_File_open(MPI_COMM_WORLD, "data", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  fails(MPI_File_write(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
  fails(MPI_File_iwrite_at(file, 0, &value, 1, MPI_INT, &request));
  fails(MPI_File_write_all_begin(file, &value, 1, MPI_INT));
  MPI_File_read_at(file, 4 * rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

/* Process 1 makes mistakes before it does what the other one waits for. */
static void alone(int times)
{
  int value = 1, sum = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) {
    fails(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD));
    fails(MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 3, MPI_COMM_WORLD));
  }
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  /* The second message is late. */
  for (int i = 0; i < 2; i++) {
    if (rank == 1) {
      usleep(200000 * i * times);
      MPI_Send(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
    } else {
      MPI_Recv(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  other = 1 - rank;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  if (argc > 1) {
    alone(argc > 2 ? atoi(argv[2]) : 1);
  } else {
    starts();
    windows();
    files();
    fails(MPI_Comm_free(&(MPI_Comm){ MPI_COMM_WORLD }));
  }
  if (rank == 1)
    printf("%d failed\n", failures);
  MPI_Finalize();
  return 0;
}
