/* ---- A run of which only the summary remains: before MPI ends, the first rank on whose host `run` waits
   gets what the others have measured, one after another. */

enum { FOLDER_BYTES = 4096, PART_BYTES = 1 << 16 };

static void send_packed(const char *folder, int collector)
{
  uint64_t bytes = 0;
  const char *packed = pomp_mpi_packed(folder, &bytes);
  PMPI_Send(&bytes, sizeof bytes, MPI_BYTE, collector, 0, own_world);
  while (bytes) {
    int part = bytes < PART_BYTES ? (int)bytes : PART_BYTES;
    PMPI_Send((void *)packed, part, MPI_BYTE, collector, 0, own_world);
    packed += part;
    bytes -= (uint64_t)part;
  }
}

/* Without room for all, the other rank sends in vain. */
static void receive_packed(int from)
{
  static char unused[PART_BYTES];
  uint64_t bytes = 0;
  PMPI_Recv(&bytes, sizeof bytes, MPI_BYTE, from, 0, own_world, MPI_STATUS_IGNORE);
  if (!bytes)
    return;
  char *room = pomp_mpi_room(bytes), *to = room ? room : unused;
  while (bytes) {
    int part = bytes < PART_BYTES ? (int)bytes : PART_BYTES;
    PMPI_Recv(to, part, MPI_BYTE, from, 0, own_world, MPI_STATUS_IGNORE);
    to += room ? part : 0;
    bytes -= (uint64_t)part;
  }
  pomp_mpi_unpack();
}

/* All ranks end their measurement here. Otherwise the collector alone would have the time of this in
   its MPI_Finalize, as if the others came late. */
static void collect(void)
{
  char folder[FOLDER_BYTES] = "";
  int rank, size, collector, candidate;
  pomp_mpi_end();
  PMPI_Comm_rank(own_world, &rank);
  PMPI_Comm_size(own_world, &size);
  candidate = pomp_mpi_collecting_folder(folder, sizeof folder) ? rank : size;
  PMPI_Allreduce(&candidate, &collector, 1, MPI_INT, MPI_MIN, own_world);
  if (collector == size) {
    pomp_mpi_not_collected(rank == 0);
    return;
  }
  PMPI_Bcast(folder, sizeof folder, MPI_BYTE, collector, own_world);
  if (rank != collector)
    send_packed(folder, collector);
  else
    for (int from = 0; from < size; from++)
      if (from != rank)
        receive_packed(from);
}

