/* ---- Collective operations. What is sent is counted as if it went to each receiver by itself, the
   own process included: over a communicator, what is sent is what is received. */

struct collective {
  int operation, root;
  MPI_Comm comm;
  uint64_t sent, received;
};

static int is_root(struct peers peers, int root)
{
  return peers.inter ? root == MPI_ROOT : root == peers.rank;
}

static int root_of(struct peers peers, int root)
{
  if (!peers.inter)
    return root;
  return root == MPI_ROOT ? -2 : root == MPI_PROC_NULL ? -3 : root;
}

static struct collective plain(int operation, MPI_Comm comm, uint64_t sent, uint64_t received)
{
  struct collective made = { operation, -1, comm, sent, received };
  return made;
}

/* With what the root and everybody else, the root included, move. */
static struct collective rooted(int operation, MPI_Comm comm, int root, struct peers peers,
                                uint64_t of_root, uint64_t of_each, int to_root)
{
  struct collective made = { operation, root_of(peers, root), comm, 0, 0 };
  uint64_t all = is_root(peers, root) ? of_root : 0;
  uint64_t own = peers.inter && root < 0 ? 0 : of_each;
  made.sent = to_root ? own : all;
  made.received = to_root ? all : own;
  return made;
}

static struct collective bcast(MPI_Comm comm, int root, int64_t count, MPI_Datatype type)
{
  struct peers peers = peers_of(comm);
  uint64_t bytes = root == MPI_PROC_NULL ? 0 : bytes_of(count, type);
  return rooted(1, comm, root, peers, bytes * peers.size, bytes, 0);
}

static struct collective reduce(MPI_Comm comm, int root, int64_t count, MPI_Datatype type)
{
  struct peers peers = peers_of(comm);
  uint64_t bytes = root == MPI_PROC_NULL ? 0 : bytes_of(count, type);
  return rooted(12, comm, root, peers, bytes * peers.size, bytes, 1);
}

/* Gather and Scatter: what the root says is significant there only. */
static struct collective one_for_all(int operation, MPI_Comm comm, int root, int in_place,
                                     int64_t count, MPI_Datatype type, int64_t root_count,
                                     MPI_Datatype root_type)
{
  struct peers peers = peers_of(comm);
  uint64_t each = is_root(peers, root) ? bytes_of(root_count, root_type) : 0;
  uint64_t own = in_place ? each : peers.inter && root < 0 ? 0 : bytes_of(count, type);
  return rooted(operation, comm, root, peers, each * peers.size, own, operation == 2);
}

/* Gatherv and Scatterv. */
static struct collective parts_for_all(int operation, MPI_Comm comm, int root, int in_place,
                                       int64_t count, MPI_Datatype type, const void *counts,
                                       size_t size, MPI_Datatype root_type)
{
  struct peers peers = peers_of(comm);
  uint64_t all = is_root(peers, root) ? total(counts, size, peers.size, root_type) : 0;
  uint64_t own = in_place ? bytes_of(count_at(counts, size, peers.rank), root_type)
                 : peers.inter && root < 0 ? 0 : bytes_of(count, type);
  return rooted(operation, comm, root, peers, all, own, operation == 3);
}

/* Allgather and Alltoall. */
static struct collective exchange(int operation, MPI_Comm comm, int in_place, int64_t count,
                                  MPI_Datatype type, int64_t back, MPI_Datatype back_type)
{
  uint64_t size = (uint64_t)peers_of(comm).size, received = bytes_of(back, back_type);
  return plain(operation, comm, (in_place ? received : bytes_of(count, type)) * size,
               received * size);
}

static struct collective allgatherv(MPI_Comm comm, int in_place, int64_t count, MPI_Datatype type,
                                    const void *counts, size_t size, MPI_Datatype back_type)
{
  struct peers peers = peers_of(comm);
  uint64_t own = in_place ? bytes_of(count_at(counts, size, peers.rank), back_type)
                          : bytes_of(count, type);
  return plain(7, comm, own * peers.size, total(counts, size, peers.size, back_type));
}

static struct collective alltoallv(MPI_Comm comm, int in_place, const void *counts,
                                   MPI_Datatype type, const void *back, size_t size,
                                   MPI_Datatype back_type)
{
  int peers = peers_of(comm).size;
  uint64_t received = total(back, size, peers, back_type);
  return plain(9, comm, in_place ? received : total(counts, size, peers, type), received);
}

static struct collective alltoallw(MPI_Comm comm, int in_place, const void *counts,
                                   const void *types, const void *back, size_t size,
                                   const void *back_types, int f)
{
  int peers = peers_of(comm).size;
  uint64_t received = total_of_types(back, size, peers, back_types, f);
  return plain(10, comm, in_place ? received : total_of_types(counts, size, peers, types, f),
               received);
}

/* Allreduce, and Reduce_scatter_block with what all get together. */
static struct collective with_all(int operation, MPI_Comm comm, int64_t count, MPI_Datatype type)
{
  uint64_t bytes = bytes_of(count, type) * (uint64_t)peers_of(comm).size;
  return plain(operation, comm, bytes, bytes);
}

static struct collective reduce_scatter(MPI_Comm comm, const void *counts, size_t size,
                                        MPI_Datatype type)
{
  struct peers peers = peers_of(comm);
  int members = 0;
  if (comm != MPI_COMM_NULL)
    PMPI_Comm_size(comm, &members);
  return plain(13, comm, total(counts, size, members, type),
               bytes_of(count_at(counts, size, peers.rank), type) * (uint64_t)peers.size);
}

static struct collective scan(int operation, MPI_Comm comm, int64_t count, MPI_Datatype type)
{
  struct peers peers = peers_of(comm);
  uint64_t bytes = bytes_of(count, type), own = operation == 14;
  return plain(operation, comm, bytes * ((uint64_t)(peers.size - peers.rank - 1) + own),
               bytes * ((uint64_t)peers.rank + own));
}

/* How many neighbours data comes from and goes to; returns the kind of topology. */
static int count_neighbours(MPI_Comm comm, int *from, int *to)
{
  int topology = MPI_UNDEFINED, weighted;
  *from = *to = 0;
  if (comm == MPI_COMM_NULL)
    return topology;
  PMPI_Topo_test(comm, &topology);
  if (topology == MPI_CART) {
    PMPI_Cartdim_get(comm, from);
    *from *= 2;
    *to = *from;
  } else if (topology == MPI_GRAPH) {
    int rank;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Graph_neighbors_count(comm, rank, from);
    *to = *from;
  } else if (topology == MPI_DIST_GRAPH) {
    PMPI_Dist_graph_neighbors_count(comm, from, to, &weighted);
  }
  return topology;
}

/* Those of a grid; there are none beyond an edge. */
static void neighbours_in_grid(MPI_Comm comm, struct neighbours *near)
{
  int dimensions = near->from / 2, sides[2], found = 0;
  for (int dimension = 0; dimension < dimensions; dimension++) {
    PMPI_Cart_shift(comm, dimension, 1, &sides[0], &sides[1]);
    for (int side = 0; side < 2; side++)
      if (sides[side] != MPI_PROC_NULL)
        near->ranks[found++] = sides[side];
  }
  memcpy(near->ranks + found, near->ranks, sizeof(int) * (size_t)found);
  near->from = near->to = found;
}

static struct neighbours neighbours_of(MPI_Comm comm)
{
  struct neighbours near = { 0, 0, NULL };
  int topology = count_neighbours(comm, &near.from, &near.to), rank;
  if (topology != MPI_UNDEFINED)
    near.ranks = malloc(sizeof(int) * (size_t)(near.from + near.to + 1));
  if (!near.ranks)
    return near;
  if (topology == MPI_CART)
    neighbours_in_grid(comm, &near);
  if (topology == MPI_GRAPH) {
    PMPI_Comm_rank(comm, &rank);
    PMPI_Graph_neighbors(comm, rank, near.from, near.ranks);
    memcpy(near.ranks + near.from, near.ranks, sizeof(int) * (size_t)near.to);
  }
  if (topology == MPI_DIST_GRAPH) {
    int *weights = malloc(sizeof(int) * (size_t)(near.from + near.to + 1));
    if (weights)
      PMPI_Dist_graph_neighbors(comm, near.from, near.ranks, weights, near.to,
                                near.ranks + near.from, weights + near.from);
    else
      near.from = near.to = 0;
    free(weights);
  }
  return near;
}

static int sources(MPI_Comm comm)
{
  int from, to;
  count_neighbours(comm, &from, &to);
  return from;
}

static int destinations(MPI_Comm comm)
{
  int from, to;
  count_neighbours(comm, &from, &to);
  return to;
}

static inline void collective_begins(void)
{
  if (is_traced())
    pomp_mpi_collective_begin();
}

static inline void collective_ends(const struct collective *made, enum awaited whom, int result)
{
  if ((settings.waits || settings.clock_period_ms) && !is_refused(result))
    met(made->comm, made->root, whom);
  if (result == MPI_SUCCESS)
    pomp_mpi_collective_end(made->operation, H(made->comm), made->root, made->sent, made->received);
  else if (is_traced())
    pomp_mpi_failed();
}

/* Neighbours alone wait for each other. What they say goes ahead of the operation, so that it is there
   behind it, and nobody waits for it. */
static inline struct meeting *neighbours_meet(const struct collective *made)
{
  collective_begins();
  return settings.waits ? will_meet(made->comm, -1, NEIGHBOURS) : NULL;
}

static inline void neighbours_met(const struct collective *made, struct meeting *meeting, int result)
{
  if (meeting && is_refused(result))
    keep_ahead(made->comm, meeting);
  else if (meeting)
    pomp_mpi_waited(have_met(meeting));
  collective_ends(made, NOBODY, result);
}

static void collective_posted(const struct collective *made, enum awaited whom, uint64_t id,
                              const void *request, int result, int f)
{
  if (result != MPI_SUCCESS && id)
    pomp_mpi_failed();
  if (result != MPI_SUCCESS)
    return;
  struct pomp_mpi_request posted = { .handle = H(request_at(request, 0, f)), .id = id,
    .comm = H(made->comm), .kind = POMP_MPI_ICOLLECTIVE, .persistent = id == 0,
    .partner = made->root, .operation = made->operation, .sent = made->sent,
    .received = made->received };
  if (settings.waits)
    posted.own = (uintptr_t)(id ? will_meet : prepare_meeting)(made->comm, made->root, whom);
  pomp_mpi_request(&posted);
}

