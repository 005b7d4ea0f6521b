/* ---- Begin and end. */

/* Messages of ours have a communicator of their own. */
static MPI_Comm own_world = MPI_COMM_NULL;

enum { ROUND_TRIPS = 12 };

/* How far another clock is ahead of this process's. */
struct offset {
  uint64_t at, error;
  int64_t ahead;
};

/* The offset of the process `above`, from the shortest of several round trips; that one answers. */
static struct offset measure(int above)
{
  struct offset found = { 0, UINT64_MAX, 0 };
  uint64_t theirs;
  for (int round = 0; round < ROUND_TRIPS; round++) {
    uint64_t begin = pomp_mpi_clock_ns();
    PMPI_Send(&begin, sizeof begin, MPI_BYTE, above, 0, own_world);
    PMPI_Recv(&theirs, sizeof theirs, MPI_BYTE, above, 0, own_world, MPI_STATUS_IGNORE);
    uint64_t half = (pomp_mpi_clock_ns() - begin) / 2;
    if (half < found.error) {
      found.error = half;
      found.at = begin + half;
      found.ahead = (int64_t)(theirs - found.at);
    }
  }
  return found;
}

static void answer(int below)
{
  uint64_t mine, theirs;
  for (int round = 0; round < ROUND_TRIPS; round++) {
    PMPI_Recv(&theirs, sizeof theirs, MPI_BYTE, below, 0, own_world, MPI_STATUS_IGNORE);
    mine = pomp_mpi_clock_ns();
    PMPI_Send(&mine, sizeof mine, MPI_BYTE, below, 0, own_world);
  }
}

/* How far rank 0's clock is ahead, in a binomial tree: first all pairs of a level measure at once,
   then sums go down from rank 0. The time that passes between the levels is so short that clocks do
   not drift by as much as a message's way takes; errors add up. */
static void measure_offsets(void)
{
  int rank, size, low = 1;
  struct offset own = { 0, 0, 0 }, above = { 0, 0, 0 };
  if (own_world == MPI_COMM_NULL)
    return;
  PMPI_Comm_rank(own_world, &rank);
  PMPI_Comm_size(own_world, &size);
  for (; low < size && !(rank & low); low <<= 1)
    if (rank + low < size)
      answer(rank + low);
  if (rank == 0) {
    own.at = pomp_mpi_clock_ns();
  } else {
    own = measure(rank - low);
    PMPI_Recv(&above, sizeof above, MPI_BYTE, rank - low, 0, own_world, MPI_STATUS_IGNORE);
  }
  own.ahead += above.ahead;
  own.error += above.error;
  for (int distance = low >> 1; distance > 0; distance >>= 1)
    if (rank + distance < size)
      PMPI_Send(&own, sizeof own, MPI_BYTE, rank + distance, 0, own_world);
  pomp_mpi_clock_offset(own.at, own.ahead, own.error);
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
