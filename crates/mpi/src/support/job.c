/* ---- Begin and end. */

/* Messages of ours have a communicator of their own. */
static MPI_Comm own_world = MPI_COMM_NULL;

/* How far rank 0's clock is ahead, from the shortest of several round trips. */
static void measure_offset(int rank, int other)
{
  uint64_t mine, theirs, best = UINT64_MAX, at = 0;
  int64_t offset = 0;
  for (int round = 0; round < 12; round++) {
    if (rank == 0) {
      PMPI_Recv(&theirs, sizeof theirs, MPI_BYTE, other, 0, own_world, MPI_STATUS_IGNORE);
      mine = pomp_mpi_clock_ns();
      PMPI_Send(&mine, sizeof mine, MPI_BYTE, other, 0, own_world);
      continue;
    }
    uint64_t begin = pomp_mpi_clock_ns();
    PMPI_Send(&begin, sizeof begin, MPI_BYTE, 0, 0, own_world);
    PMPI_Recv(&theirs, sizeof theirs, MPI_BYTE, 0, 0, own_world, MPI_STATUS_IGNORE);
    uint64_t end = pomp_mpi_clock_ns();
    if (end - begin < best) {
      best = end - begin;
      at = begin + best / 2;
      offset = (int64_t)(theirs - at);
    }
  }
  if (rank != 0)
    pomp_mpi_clock_offset(at, offset, best / 2);
}

static void measure_offsets(void)
{
  int rank, size;
  if (own_world == MPI_COMM_NULL)
    return;
  PMPI_Comm_rank(own_world, &rank);
  PMPI_Comm_size(own_world, &size);
  if (rank == 0)
    pomp_mpi_clock_offset(pomp_mpi_clock_ns(), 0, 0);
  for (int other = 1; other < size; other++)
    if (rank == 0 || rank == other)
      measure_offset(rank, other);
}

static void initialised(int result)
{
  char job[128];
  int rank, size;
  MPI_Comm parent = MPI_COMM_NULL;
  if (result != MPI_SUCCESS || own_world != MPI_COMM_NULL)
    return;
  PMPI_Comm_dup(MPI_COMM_WORLD, &own_world);
  PMPI_Comm_rank(own_world, &rank);
  PMPI_Comm_size(own_world, &size);
  PMPI_Comm_group(MPI_COMM_WORLD, &world_group);
  pomp_mpi_job(job, sizeof job);
  PMPI_Bcast(job, sizeof job, MPI_BYTE, 0, own_world);
  pomp_mpi_world((uint32_t)rank, (uint32_t)size, job);
  define(MPI_COMM_WORLD, MPI_COMM_WORLD, MPI_COMM_NULL, 0, "MPI_COMM_WORLD");
  define(MPI_COMM_SELF, MPI_COMM_SELF, MPI_COMM_NULL, 0, "MPI_COMM_SELF");
  PMPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL)
    define(parent, parent, MPI_COMM_NULL, 0, "MPI_COMM_PARENT");
  measure_offsets();
}

static void finalising(void)
{
  if (own_world == MPI_COMM_NULL)
    return;
  measure_offsets();
  PMPI_Group_free(&world_group);
  PMPI_Comm_free(&own_world);
}
