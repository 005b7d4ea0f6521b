/* ---- Communicators. */

static MPI_Group world_group;

/* The world ranks of so many processes of a group from this one on, -1 for those of other jobs. In
   parts: there may be any number of them. */
static void world_ranks(MPI_Group group, int first, int size, int *world)
{
  enum { PART = 256 };
  int own[PART];
  for (int done = 0; done < size; done += PART) {
    int part = size - done < PART ? size - done : PART;
    for (int i = 0; i < part; i++) {
      own[i] = first + done + i;
      world[done + i] = -1;
    }
    PMPI_Group_translate_ranks(group, part, own, world_group, world + done);
    for (int i = 0; i < part; i++)
      if (world[done + i] == MPI_UNDEFINED)
        world[done + i] = -1;
  }
}

static int *members_of(MPI_Comm comm, int remote, int *size)
{
  MPI_Group group;
  if (remote)
    PMPI_Comm_remote_group(comm, &group);
  else
    PMPI_Comm_group(comm, &group);
  PMPI_Group_size(group, size);
  int *world = malloc(sizeof(int) * (size_t)(*size + 1));
  if (world)
    world_ranks(group, 0, *size, world);
  PMPI_Group_free(&group);
  return world;
}

/* Whether processes of other jobs are in it, which may know nothing of us. */
static int has_strangers(MPI_Comm comm, int inter)
{
  int size = 0, found = 0;
  for (int remote = 0; remote <= inter; remote++) {
    int *members = members_of(comm, remote, &size);
    for (int i = 0; members && i < size; i++)
      found |= members[i] < 0;
    free(members);
  }
  return found;
}

enum { DIMENSIONS = 16 };

struct grid {
  int dimensions, sizes[DIMENSIONS], periodic[DIMENSIONS], coordinates[DIMENSIONS];
};

/* The Cartesian topology of a communicator; no dimensions where it has none. */
static void grid_of(MPI_Comm comm, struct grid *grid)
{
  int topology = MPI_UNDEFINED, inter = 0;
  grid->dimensions = 0;
  PMPI_Comm_test_inter(comm, &inter);
  if (!inter)
    PMPI_Topo_test(comm, &topology);
  if (topology == MPI_CART)
    PMPI_Cartdim_get(comm, &grid->dimensions);
  if (grid->dimensions > DIMENSIONS)
    grid->dimensions = 0;
  if (grid->dimensions > 0)
    PMPI_Cart_get(comm, grid->dimensions, grid->sizes, grid->periodic, grid->coordinates);
}

/* What tells a grid from one of another shape; the same in all of its processes. */
static int shape_of(MPI_Comm comm)
{
  struct grid grid;
  unsigned shape = 0;
  grid_of(comm, &grid);
  for (int i = 0; i < grid.dimensions; i++)
    shape = 31 * shape + 2 * (unsigned)grid.sizes[i] + (unsigned)(grid.periodic[i] != 0);
  return (int)(shape << 1);
}

static void describe_topology(MPI_Comm comm)
{
  struct grid grid;
  grid_of(comm, &grid);
  if (grid.dimensions > 0)
    pomp_mpi_cart(H(comm), grid.dimensions, grid.sizes, grid.periodic, grid.coordinates);
}

/* Says that a communicator is there; `like` has its members, and is it but for MPI_Comm_idup. */
static uint32_t define(MPI_Comm comm, MPI_Comm like, MPI_Comm parent, int tag, const char *name)
{
  int size = 0, remote = 0, rank = 0, inter = 0;
  PMPI_Comm_test_inter(like, &inter);
  PMPI_Comm_rank(like, &rank);
  int *members = members_of(like, 0, &size);
  int *others = inter ? members_of(like, 1, &remote) : NULL;
  uint32_t id = 0;
  if (members && (others || !inter)) {
    struct pomp_mpi_comm made = { .handle = comm == MPI_COMM_NULL ? 0 : H(comm),
      .parent = parent == MPI_COMM_NULL ? 0 : H(parent), .name = name, .tag = tag ^ shape_of(like),
      .rank = (uint32_t)rank, .size = (uint32_t)size, .remote = (uint32_t)remote,
      .members = members, .remote_members = others };
    id = pomp_mpi_comm_create(&made);
  }
  free(members);
  free(others);
  return id;
}

/* What there is to say of a communicator whose id is known, now that it is there. */
static void communicator(uint32_t id, MPI_Comm comm)
{
  pomp_mpi_comm_bind(id, H(comm));
  describe_topology(comm);
}

/* All processes of a communicator make or free one: for OTF2 these are collective operations. */
enum { CREATE_HANDLE = 17 };

static void handle_begins(void)
{
  if (own_world != MPI_COMM_NULL && is_traced())
    pomp_mpi_collective_begin();
}

/* It was made by all processes of `comm`. */
static void handle_ends(MPI_Comm comm, int result)
{
  if (own_world == MPI_COMM_NULL || !is_traced())
    return;
  if (result == MPI_SUCCESS && comm != MPI_COMM_NULL)
    pomp_mpi_collective_end(CREATE_HANDLE, H(comm), -1, 0, 0);
  else
    pomp_mpi_failed();
}

static void define_created(MPI_Comm parent, const void *made, int tag, int result, int f)
{
  if (result != MPI_SUCCESS || own_world == MPI_COMM_NULL || comm_at(made, f) == MPI_COMM_NULL)
    return;
  make_shadow(comm_at(made, f));
  define(comm_at(made, f), comm_at(made, f), parent, tag, "");
  describe_topology(comm_at(made, f));
}

/* All processes of the communicator that it is made from were there. */
static void created(MPI_Comm parent, const void *made, int tag, int result, int f)
{
  define_created(parent, made, tag, result, f);
  handle_ends(parent, result);
}

/* Only those were there that are in it. */
static void created_among_members(MPI_Comm parent, const void *made, int tag, int result, int f)
{
  define_created(parent, made, tag, result, f);
  handle_ends(result == MPI_SUCCESS ? comm_at(made, f) : MPI_COMM_NULL, result);
}

static void leaving_world(void);

/* Those that the library has made itself cannot be freed. Returns what `freed_by_all` needs. */
static uint32_t freeing(MPI_Comm comm)
{
  int begins = own_world != MPI_COMM_NULL;
  uint32_t id;
  if (comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF)
    return UINT32_MAX;
  handle_begins();
  if (comm == world_comm && comm != MPI_COMM_NULL)
    leaving_world();
  if (settings.waits)
    drop_shadow(comm);
  id = pomp_mpi_comm_free(H(comm));
  forget();
  return begins ? id : UINT32_MAX;
}

static void freed_by_all(uint32_t id, int result)
{
  if (result == MPI_SUCCESS && id != UINT32_MAX)
    pomp_mpi_comm_freed(id);
}

static void duplicates(MPI_Comm comm, void *made, const void *request, int result, int f)
{
  if (result != MPI_SUCCESS || own_world == MPI_COMM_NULL)
    return;
  struct pomp_mpi_request posted = { .handle = H(request_at(request, 0, f)), .id = 1,
    .kind = POMP_MPI_COMM_DUP, .new_comm = define(MPI_COMM_NULL, comm, comm, 0, ""),
    .place = made, .own = (uintptr_t)duplicate_shadow(comm) };
  pomp_mpi_request(&posted);
}

static void named(MPI_Comm comm)
{
  char name[MPI_MAX_OBJECT_NAME + 1];
  int length = 0;
  if (comm != MPI_COMM_NULL && PMPI_Comm_get_name(comm, name, &length) == MPI_SUCCESS)
    pomp_mpi_comm_name(H(comm), name);
}

