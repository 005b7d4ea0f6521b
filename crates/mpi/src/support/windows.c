/* ---- One-sided communication. */

static void window_made(const void *made, MPI_Comm comm, int with_memory, int f)
{
  int rank = 0;
  if (comm == MPI_COMM_NULL)
    return;
  PMPI_Comm_rank(comm, &rank);
  pomp_mpi_win_create(H(win_at(made, f)), H(comm), (uint32_t)rank, with_memory);
}

static void window_named(MPI_Win win)
{
  char name[MPI_MAX_OBJECT_NAME + 1];
  int length = 0;
  if (win != MPI_WIN_NULL && PMPI_Win_get_name(win, name, &length) == MPI_SUCCESS)
    pomp_mpi_win_name(H(win), name);
}

/* What tells a group from others: never 0. */
static uint64_t group_hash(MPI_Group group, int size)
{
  enum { PART = 256 };
  int world[PART];
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (int first = 0; first < size; first += PART) {
    int part = size - first < PART ? size - first : PART;
    world_ranks(group, first, part, world);
    for (int i = 0; i < part; i++) {
      hash = (hash ^ (uint32_t)world[i]) * UINT64_C(0x100000001b3);
      hash ^= hash >> 29;
    }
  }
  return hash | 1;
}

/* An epoch begins; who is in it, only a trace says. Only a group that is new takes memory. */
static void epoch(MPI_Win win, MPI_Group group, int is_exposure)
{
  int size = 0;
  if (!is_traced() || PMPI_Group_size(group, &size) != MPI_SUCCESS)
    return;
  uint64_t hash = group_hash(group, size);
  if (!pomp_mpi_win_group_is_known(hash)) {
    int *world = malloc(sizeof(int) * (size_t)(size + 1));
    if (!world)
      return;
    world_ranks(group, 0, size, world);
    pomp_mpi_win_group(hash, (uint32_t)size, world);
    free(world);
  }
  pomp_mpi_win_epoch(H(win), is_exposure, hash);
}

static inline void operates(MPI_Win win, int target, int operation, uint64_t sent, uint64_t received)
{
  if (target != MPI_PROC_NULL)
    pomp_mpi_rma(H(win), target, operation, sent, received);
}

static inline uint64_t ioperates(MPI_Win win, int target, int operation, uint64_t sent,
                                 uint64_t received)
{
  return target == MPI_PROC_NULL ? 0
                                 : pomp_mpi_rma_request(H(win), target, operation, sent, received);
}

/* How OTF2 calls MPI_Fetch_and_op with this operation. */
static int fetching(MPI_Op op)
{
  return op == MPI_SUM ? POMP_MPI_FETCH_AND_ADD
         : op == MPI_REPLACE ? POMP_MPI_SWAP : POMP_MPI_FETCH_AND_ACCUMULATE;
}

