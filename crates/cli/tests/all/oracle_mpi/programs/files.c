/* Two processes write a file and read it, in all ways that there are. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile int used;

/* Memory that only one of them has. */
static void use_memory(void)
{
  size_t bytes = 64 << 20;
  char *data = malloc(bytes);
  memset(data, 1, bytes);
  used += data[bytes - 1];
  free(data);
}

int main(int argc, char **argv)
{
  int rank, done = 0, values[4] = { 1, 2, 3, 4 }, got[8];
  MPI_File file;
  MPI_Request request;
  MPI_Status status;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1)
    use_memory();
  MPI_File_open(MPI_COMM_WORLD, "data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_write_at(file, 16 * rank, values, 4, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_iwrite_at(file, 16 * rank, values, 2, MPI_INT, &request);
  while (!done)
    MPI_Test(&request, &done, &status);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_seek(file, 8, MPI_SEEK_SET);
  /* More than there is. */
  MPI_File_read(file, got, 8, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_read_at_all_begin(file, 0, got, 3, MPI_INT);
  MPI_File_read_at_all_end(file, got, &status);
  MPI_File_close(&file);
  MPI_File_open(MPI_COMM_SELF, "data", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  MPI_File_close(&file);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_File_delete("data", MPI_INFO_NULL);
    printf("%d\n", got[2]);
  }
  MPI_Finalize();
  return 0;
}
