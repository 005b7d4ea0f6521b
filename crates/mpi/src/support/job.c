/* ---- Begin and end. */

enum { ROUND_TRIPS = 12 };

/* How far another clock is ahead of this process's. */
struct offset {
  uint64_t at, error;
  int64_t ahead;
};

/* What another process says of its clock. */
struct reading {
  uint64_t ns, identity;
};

/* The offset of the process `above`, from the shortest of several round trips; that one answers. Of
   processes that read the same clock it is known, and one round trip is enough: where there are more
   processes than cores, each takes as long as the others spin. A time of 0 says that it was the last
   one. */
static struct offset measure(int above)
{
  struct offset found = { 0, UINT64_MAX, 0 };
  struct reading theirs;
  uint64_t identity = pomp_mpi_clock_identity(), last = 0;
  for (int round = 0; round < ROUND_TRIPS; round++) {
    uint64_t begin = pomp_mpi_clock_ns();
    PMPI_Send(&begin, sizeof begin, MPI_BYTE, above, 0, own_world);
    PMPI_Recv(&theirs, sizeof theirs, MPI_BYTE, above, 0, own_world, MPI_STATUS_IGNORE);
    uint64_t end = pomp_mpi_clock_ns(), half = (end - begin) / 2;
    if (half < found.error) {
      found.error = half;
      found.at = begin + half;
      found.ahead = (int64_t)(theirs.ns - found.at);
    }
    if (identity && identity == theirs.identity && begin <= theirs.ns && theirs.ns <= end) {
      found.error = 0;
      found.ahead = 0;
      break;
    }
  }
  PMPI_Send(&last, sizeof last, MPI_BYTE, above, 0, own_world);
  return found;
}

static void answer(int below)
{
  struct reading mine = { 0, pomp_mpi_clock_identity() };
  uint64_t theirs;
  for (;;) {
    PMPI_Recv(&theirs, sizeof theirs, MPI_BYTE, below, 0, own_world, MPI_STATUS_IGNORE);
    if (theirs == 0)
      return;
    mine.ns = pomp_mpi_clock_ns();
    PMPI_Send(&mine, sizeof mine, MPI_BYTE, below, 0, own_world);
  }
}

/* When offsets were measured last, as rank 0 has it. */
static uint64_t measured_ns;

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
  measured_ns = pomp_mpi_clock_ns();
  pomp_mpi_clock_offset(own.at, own.ahead, own.error);
}

/* All processes are here: they measure again where rank 0 says that it is time. */
static void clocks_are_due(void)
{
  int rank = 0, due = 0;
  if (own_world == MPI_COMM_NULL)
    return;
  PMPI_Comm_rank(own_world, &rank);
  if (rank == 0)
    due = pomp_mpi_clock_ns() - measured_ns >= settings.clock_period_ms * UINT64_C(1000000);
  PMPI_Bcast(&due, 1, MPI_INT, 0, own_world);
  if (due)
    measure_offsets();
}

/* What all processes get from rank 0. */
struct common {
  char job[128];
  struct pomp_mpi_settings settings;
  int is_collected;
};

/* Whether one rank gets what the others have measured when the job ends. */
static int is_collected;

/* The process's place in the job, once it has one; a job has one for all of its life. */
static int world_rank, world_size;

/* All processes of the job are in this communicator of the program, and all are here. */
static void begin_job(MPI_Comm comm)
{
  struct common common;
  world_comm = comm;
  PMPI_Comm_dup(comm, &own_world);
  PMPI_Comm_group(comm, &world_group);
  if (world_size)
    return;
  PMPI_Comm_rank(own_world, &world_rank);
  PMPI_Comm_size(own_world, &world_size);
  memset(&common, 0, sizeof common);
  pomp_mpi_job(common.job, sizeof common.job);
  pomp_mpi_settings(&common.settings);
  common.is_collected = pomp_mpi_is_collected();
  PMPI_Bcast(&common, sizeof common, MPI_BYTE, 0, own_world);
  settings = common.settings;
  is_collected = common.is_collected;
  if (settings.waits)
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &shadow_key, NULL);
  pomp_mpi_world((uint32_t)world_rank, (uint32_t)world_size, common.job);
}

/* Whether MPI_COMM_WORLD and MPI_COMM_SELF are there, which MPI_Init makes and MPI_Finalize frees. */
static int has_worlds;

static void initialising(void)
{
  if (is_traced())
    pomp_mpi_collective_begin();
}

static void initialised(int result)
{
  MPI_Comm parent = MPI_COMM_NULL;
  if (result != MPI_SUCCESS) {
    pomp_mpi_failed();
    return;
  }
  has_worlds = 1;
  int is_first = !__atomic_exchange_n(&has_world, 1, __ATOMIC_ACQ_REL);
  if (is_first)
    begin_job(MPI_COMM_WORLD);
  define(MPI_COMM_WORLD, MPI_COMM_WORLD, MPI_COMM_NULL, 0, "MPI_COMM_WORLD");
  define(MPI_COMM_SELF, MPI_COMM_SELF, MPI_COMM_NULL, 0, "MPI_COMM_SELF");
  PMPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL)
    define(parent, parent, MPI_COMM_NULL, 0, "MPI_COMM_PARENT");
  if (is_first)
    measure_offsets();
  make_shadow(MPI_COMM_WORLD);
  handle_ends(MPI_COMM_WORLD, result);
}

/* All processes leave what they have in common. */
static void end_job(void)
{
  measure_offsets();
  end_meetings();
  drop_shadow(world_comm);
  free_all_left();
  if (is_collected)
    collect();
  PMPI_Group_free(&world_group);
  PMPI_Comm_free(&own_world);
  world_comm = MPI_COMM_NULL;
}

static void finalising(void)
{
  if (own_world == MPI_COMM_NULL) {
    has_worlds = 0;
    return;
  }
  if (has_worlds)
    handle_begins();
  end_job();
  settings.waits = settings.clock_period_ms = 0;
}

static void finalised(int result)
{
  if (has_worlds && result == MPI_SUCCESS) {
    uint32_t world = pomp_mpi_comm_free(H(MPI_COMM_WORLD));
    pomp_mpi_comm_free(H(MPI_COMM_SELF));
    if (world != UINT32_MAX)
      pomp_mpi_comm_freed(world);
  }
  pomp_mpi_finalized();
}
