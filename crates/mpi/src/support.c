/*
 * What the wrappers behind this text have in common: which arguments say what happens, in terms of
 * pomp_mpi.h. All of MPI's own types stay on this side.
 *
 * A wrapper's events come before and after the call of the next MPI library in the process: another
 * tool, or MPI itself. MPI calls that come from inside a wrapped one (a Fortran binding that calls
 * the C function, a collective operation made of messages) belong to it and are only passed on.
 *
 * Wrappers of C and of Fortran share all of this. Scalars reach it as C has them; what a pointer
 * leads to has the form of the wrapper's language, which `f` says.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>
#include "pomp_mpi.h"

#define H POMP_MPI_HANDLE
#define PUBLIC __attribute__((visibility("default")))

/* A status of Fortran is as many integers as one of C. */
#define STATUS_INTEGERS (sizeof(MPI_Status) / sizeof(MPI_Fint))

/* ---- The call. */

/* Address of the frame of the wrapper that this thread is in. */
static __thread uintptr_t around __attribute__((tls_model("initial-exec")));

/* Whether this call is one of the program. A wrapper that was left without its end (an error handler
   that throws or jumps) lies below the frames of later calls. */
static inline int begins(struct pomp_mpi_routine *routine, uintptr_t frame)
{
  if (around > frame)
    return 0;
  around = frame;
  pomp_mpi_enter(routine);
  return 1;
}

static inline void ends(struct pomp_mpi_routine *routine)
{
  pomp_mpi_exit(routine);
  around = 0;
}

/* The next library's function under the first of these names that it has. */
static void *next(const char *const *names, void *otherwise)
{
  for (; *names; names++) {
    void *found = dlsym(RTLD_NEXT, *names);
    if (found)
      return found;
  }
  return otherwise;
}

/* ---- Memory for as many elements as a call has, without an allocation for a few. */

struct scratch {
  void *heap;
  uint64_t own[320];
};

static void *room(struct scratch *scratch, size_t bytes)
{
  if (bytes <= sizeof scratch->own)
    return scratch->own;
  return scratch->heap = malloc(bytes);
}

static void done_with(struct scratch *scratch)
{
  free(scratch->heap);
}

#define SCRATCH(name)                                        \
  __attribute__((cleanup(done_with))) struct scratch name;   \
  name.heap = NULL

/* ---- Arguments. */

static inline MPI_Request request_at(const void *requests, int index, int f)
{
  return f ? PMPI_Request_f2c(((const MPI_Fint *)requests)[index])
           : ((const MPI_Request *)requests)[index];
}

static inline MPI_Comm comm_at(const void *comm, int f)
{
  return f ? PMPI_Comm_f2c(*(const MPI_Fint *)comm) : *(const MPI_Comm *)comm;
}

static inline MPI_Message message_at(const void *message, int f)
{
  return f ? PMPI_Message_f2c(*(const MPI_Fint *)message) : *(const MPI_Message *)message;
}

static inline int is_true(const void *flag)
{
  return *(const int *)flag != 0;
}

/* Addresses by which Fortran programs say something: that they want no status, that the data is in
   the receive buffer. Which names there are depends on the library. */
struct constant {
  const char *const names[5];
  void *addresses[4];
  int known;
};

static int is_constant(const void *address, struct constant *constant)
{
  for (int i = 0; !constant->known && constant->names[i]; i++)
    constant->addresses[i] = dlsym(RTLD_DEFAULT, constant->names[i]);
  constant->known = 1;
  for (int i = 0; i < 4; i++)
    if (address && address == constant->addresses[i])
      return 1;
  return 0;
}

static int is_ignored(const void *status, int f)
{
  static struct constant of_f08 = { { "MPIR_F08_MPI_STATUS_IGNORE_OBJ",
    "MPIR_F08_MPI_STATUSES_IGNORE_OBJ", NULL }, { NULL }, 0 };
  if (!f)
    return status == (const void *)MPI_STATUS_IGNORE || status == (const void *)MPI_STATUSES_IGNORE;
  return status == (const void *)MPI_F_STATUS_IGNORE
         || status == (const void *)MPI_F_STATUSES_IGNORE || is_constant(status, &of_f08);
}

static int is_in_place(const void *buffer, int f)
{
  static struct constant in_place = { { "mpi_fortran_in_place_", "mpi_fortran_in_place",
    "mpi_fortran_in_place__", "MPI_FORTRAN_IN_PLACE", NULL }, { NULL }, 0 };
  return buffer == MPI_IN_PLACE || (f && is_constant(buffer, &in_place));
}

/* ---- Bytes. */

static inline uint64_t bytes_of(int64_t count, MPI_Datatype type)
{
  int size = 0;
  MPI_Count large = 0;
  if (count <= 0 || type == MPI_DATATYPE_NULL || PMPI_Type_size(type, &size) != MPI_SUCCESS)
    return 0;
  if (size >= 0)
    return (uint64_t)count * (uint64_t)size;
  PMPI_Type_size_x(type, &large);
  return large > 0 ? (uint64_t)count * (uint64_t)large : 0;
}

static int64_t count_at(const void *counts, size_t size, int index)
{
  return size == sizeof(int) ? ((const int *)counts)[index] : ((const MPI_Count *)counts)[index];
}

static uint64_t total(const void *counts, size_t size, int n, MPI_Datatype type)
{
  int64_t sum = 0;
  for (int i = 0; i < n; i++)
    sum += count_at(counts, size, i);
  return bytes_of(sum, type);
}

static uint64_t total_of_types(const void *counts, size_t size, int n, const void *types, int f)
{
  uint64_t sum = 0;
  for (int i = 0; i < n; i++)
    sum += bytes_of(count_at(counts, size, i), f ? PMPI_Type_f2c(((const MPI_Fint *)types)[i])
                                                 : ((const MPI_Datatype *)types)[i]);
  return sum;
}

/* ---- Messages. */

struct message {
  int sender, tag;
  uint64_t bytes;
};

/* What a status says of the message that was received. */
static struct message received_with(const void *status, int f)
{
  struct message message = { MPI_PROC_NULL, 0, 0 };
  MPI_Status own;
  const MPI_Status *of = status;
  int count = 0;
  if (f) {
    PMPI_Status_f2c((MPI_Fint *)status, &own);
    of = &own;
  }
  message.sender = of->MPI_SOURCE;
  message.tag = of->MPI_TAG;
  if (message.sender == MPI_PROC_NULL || message.sender == MPI_ANY_SOURCE)
    return message;
  PMPI_Get_count((MPI_Status *)of, MPI_BYTE, &count);
  message.bytes = count < 0 ? 0 : (uint64_t)count;
  if (count == MPI_UNDEFINED) {
    MPI_Count large = 0;
    PMPI_Get_elements_x((MPI_Status *)of, MPI_BYTE, &large);
    message.bytes = large > 0 ? (uint64_t)large : 0;
  }
  return message;
}

/* A message that did not fit is received, too. */
static int has_received(int result)
{
  int class = MPI_SUCCESS;
  if (result == MPI_SUCCESS)
    return 1;
  PMPI_Error_class(result, &class);
  return class == MPI_ERR_TRUNCATE;
}

static inline void sends(MPI_Comm comm, int dest, int tag, int64_t count, MPI_Datatype type)
{
  if (dest != MPI_PROC_NULL)
    pomp_mpi_send(H(comm), dest, tag, bytes_of(count, type));
}

static inline void received(MPI_Comm comm, const void *status, int result, int f)
{
  if (!has_received(result))
    return;
  struct message message = received_with(status, f);
  if (message.sender >= 0)
    pomp_mpi_recv(H(comm), message.sender, message.tag, message.bytes);
}

/* ---- Requests of messages. */

static inline uint64_t isends(MPI_Comm comm, int dest, int tag, int64_t count, MPI_Datatype type)
{
  return dest == MPI_PROC_NULL ? 0 : pomp_mpi_isend(H(comm), dest, tag, bytes_of(count, type));
}

static inline uint64_t ireceives(int source)
{
  return source == MPI_PROC_NULL ? 0 : pomp_mpi_irecv();
}

static void posted(const void *request, uint64_t id, int kind, uint64_t comm, int result, int f)
{
  if (id == 0 || result != MPI_SUCCESS)
    return;
  struct pomp_mpi_request made = { .handle = H(request_at(request, 0, f)), .id = id, .comm = comm,
    .kind = kind };
  pomp_mpi_request(&made);
}

static void prepared(const void *request, int kind, MPI_Comm comm, int partner, int tag,
                     uint64_t bytes, int result, int f)
{
  if (partner == MPI_PROC_NULL || result != MPI_SUCCESS)
    return;
  struct pomp_mpi_request made = { .handle = H(request_at(request, 0, f)), .comm = H(comm),
    .kind = kind, .persistent = 1, .partner = partner, .tag = tag, .sent = bytes };
  pomp_mpi_request(&made);
}

static void starts(int count, const void *requests, int f)
{
  for (int i = 0; i < count; i++)
    pomp_mpi_request_start(H(request_at(requests, i, f)));
}

static void communicator(uint32_t id, MPI_Comm comm);

/* A request that is done with; `status` belongs to it. */
static void completed(const struct pomp_mpi_known *request, const void *status, int f)
{
  int cancelled = request->cancelled;
  uint32_t new_comm = 0;
  struct message message = { 0, 0, 0 };
  if (request->kind == POMP_MPI_UNKNOWN)
    return;
  if (cancelled) {
    MPI_Status own;
    if (f)
      PMPI_Status_f2c((MPI_Fint *)status, &own);
    PMPI_Test_cancelled(f ? &own : (MPI_Status *)status, &cancelled);
  }
  if (cancelled) {
    pomp_mpi_request_cancelled(request);
    return;
  }
  if (request->kind == POMP_MPI_RECEIVE)
    message = received_with(status, f);
  void *place = pomp_mpi_request_complete(request, message.sender, message.tag, message.bytes,
                                          &new_comm);
  if (place)
    communicator(new_comm, comm_at(place, f));
}

/* What is known of the requests before a call that may complete them. */
static struct pomp_mpi_known *before_call(struct scratch *scratch, int count, const void *requests,
                                          int f)
{
  struct pomp_mpi_known *saved =
    count > 0 ? room(scratch, sizeof(struct pomp_mpi_known) * (size_t)count) : NULL;
  for (int i = 0; saved && i < count; i++) {
    MPI_Request request = request_at(requests, i, f);
    saved[i].kind = POMP_MPI_UNKNOWN;
    if (request != MPI_REQUEST_NULL)
      pomp_mpi_request_find(H(request), &saved[i]);
  }
  return saved;
}

/* Statuses, where the program wants none. */
static void *own_statuses(struct scratch *scratch, int count, void *statuses, int f)
{
  if (count <= 0 || !is_ignored(statuses, f))
    return statuses;
  void *own = room(scratch, sizeof(MPI_Status) * (size_t)count);
  return own ? own : statuses;
}

static const void *status_at(const void *statuses, int index)
{
  return (const char *)statuses + sizeof(MPI_Status) * (size_t)index;
}

/* Whether this one of several is complete. */
static int is_complete(const void *status, int result, int f)
{
  int class = MPI_SUCCESS;
  if (result == MPI_SUCCESS)
    return 1;
  PMPI_Error_class(result, &class);
  if (class != MPI_ERR_IN_STATUS)
    return 0;
  MPI_Status own;
  if (f)
    PMPI_Status_f2c((MPI_Fint *)status, &own);
  return has_received(f ? own.MPI_ERROR : ((const MPI_Status *)status)->MPI_ERROR);
}

static void all_completed(const struct pomp_mpi_known *saved, int count, const void *statuses, int result,
                          int f)
{
  for (int i = 0; saved && !is_ignored(statuses, f) && i < count; i++)
    if (is_complete(status_at(statuses, i), result, f))
      completed(&saved[i], status_at(statuses, i), f);
}

static void some_completed(const struct pomp_mpi_known *saved, int count, const int *indices,
                           const void *statuses, int result, int f)
{
  for (int i = 0; saved && !is_ignored(statuses, f) && i < count; i++)
    if (is_complete(status_at(statuses, i), result, f))
      completed(&saved[indices[i] - f], status_at(statuses, i), f);
}

static void one_completed(const struct pomp_mpi_known *saved, int index, const void *status, int result, int f)
{
  if (saved && index != MPI_UNDEFINED && has_received(result))
    completed(&saved[index - f], status, f);
}

static void tested(const struct pomp_mpi_known *saved, int count)
{
  for (int i = 0; saved && i < count; i++)
    pomp_mpi_request_tested(&saved[i]);
}

/* Matched by a probe; to be received with a call of its own. */
static void matched(const void *message, MPI_Comm comm, int result, int f)
{
  if (result != MPI_SUCCESS)
    return;
  struct pomp_mpi_request made = { .handle = H(message_at(message, f)), .comm = H(comm),
    .kind = POMP_MPI_MESSAGE };
  pomp_mpi_request(&made);
}

static void received_matched(uint64_t comm, const void *status, int result, int f)
{
  struct message message = received_with(status, f);
  if (comm && has_received(result) && message.sender >= 0)
    pomp_mpi_recv(comm, message.sender, message.tag, message.bytes);
}

/* What a status of an operation on a file says. */
static uint64_t transferred(const void *status, MPI_Datatype type, int result, int f)
{
  int count = 0;
  MPI_Status own;
  if (result != MPI_SUCCESS)
    return 0;
  if (f)
    PMPI_Status_f2c((MPI_Fint *)status, &own);
  PMPI_Get_count(f ? &own : (MPI_Status *)status, type, &count);
  return bytes_of(count, type);
}

/* ---- Collective operations. What is sent is counted as if it went to each receiver by itself, the
   own process included: over a communicator, what is sent is what is received. */

struct collective {
  int operation, root;
  MPI_Comm comm;
  uint64_t sent, received;
};

/* With whom: the processes of the other group of an intercommunicator, else all. */
struct peers {
  int rank, size, inter;
};

static struct peers peers_of(MPI_Comm comm)
{
  struct peers peers = { 0, 0, 0 };
  if (comm == MPI_COMM_NULL)
    return peers;
  PMPI_Comm_rank(comm, &peers.rank);
  PMPI_Comm_test_inter(comm, &peers.inter);
  if (peers.inter)
    PMPI_Comm_remote_size(comm, &peers.size);
  else
    PMPI_Comm_size(comm, &peers.size);
  return peers;
}

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

/* Neighbours that data comes from and goes to. */
static void neighbours(MPI_Comm comm, int *from, int *to)
{
  int topology = MPI_UNDEFINED, weighted;
  *from = *to = 0;
  if (comm == MPI_COMM_NULL)
    return;
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
}

static int sources(MPI_Comm comm)
{
  int from, to;
  neighbours(comm, &from, &to);
  return from;
}

static int destinations(MPI_Comm comm)
{
  int from, to;
  neighbours(comm, &from, &to);
  return to;
}

static inline void collective_begins(void)
{
  pomp_mpi_collective_begin();
}

static inline void collective_ends(const struct collective *made, int result)
{
  if (result == MPI_SUCCESS)
    pomp_mpi_collective_end(made->operation, H(made->comm), made->root, made->sent, made->received);
}

static void collective_posted(const struct collective *made, uint64_t id, const void *request,
                              int result, int f)
{
  if (result != MPI_SUCCESS)
    return;
  struct pomp_mpi_request posted = { .handle = H(request_at(request, 0, f)), .id = id,
    .comm = H(made->comm), .kind = POMP_MPI_ICOLLECTIVE, .persistent = id == 0,
    .partner = made->root, .operation = made->operation, .sent = made->sent,
    .received = made->received };
  pomp_mpi_request(&posted);
}

/* ---- Communicators. */

static MPI_Group world_group;

static void world_ranks(MPI_Group group, int size, int *world)
{
  int *own = malloc(sizeof(int) * (size_t)size);
  for (int i = 0; i < size; i++)
    world[i] = -1;
  if (!own)
    return;
  for (int i = 0; i < size; i++)
    own[i] = i;
  PMPI_Group_translate_ranks(group, size, own, world_group, world);
  for (int i = 0; i < size; i++)
    if (world[i] == MPI_UNDEFINED)
      world[i] = -1;
  free(own);
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
    world_ranks(group, *size, world);
  PMPI_Group_free(&group);
  return world;
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

static void created(MPI_Comm parent, const void *made, int tag, int result, int f)
{
  if (result != MPI_SUCCESS || comm_at(made, f) == MPI_COMM_NULL)
    return;
  define(comm_at(made, f), comm_at(made, f), parent, tag, "");
  describe_topology(comm_at(made, f));
}

static void duplicates(MPI_Comm comm, void *made, const void *request, int result, int f)
{
  if (result != MPI_SUCCESS)
    return;
  struct pomp_mpi_request posted = { .handle = H(request_at(request, 0, f)), .id = 1,
    .kind = POMP_MPI_COMM_DUP, .new_comm = define(MPI_COMM_NULL, comm, comm, 0, ""),
    .place = made };
  pomp_mpi_request(&posted);
}

static void named(MPI_Comm comm)
{
  char name[MPI_MAX_OBJECT_NAME + 1];
  int length = 0;
  if (comm != MPI_COMM_NULL && PMPI_Comm_get_name(comm, name, &length) == MPI_SUCCESS)
    pomp_mpi_comm_name(H(comm), name);
}

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
