/* Every form of every collective operation, of what is done to files, and of one-sided
   communication, between two processes. It says what it calls, and what has come of that. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, other, got[8];
static long sum;
static MPI_Request request;

static void says(const char *name)
{
  if (rank == 0)
    printf("%s\n", name);
}

static void checked(int result)
{
  if (result != MPI_SUCCESS)
    MPI_Abort(MPI_COMM_WORLD, 2);
}

/* What has come is part of a sum, by its place. */
static void taken(void)
{
  for (int i = 0; i < 8; i++)
    sum = (sum * 31 + got[i]) % 1000003;
  memset(got, 0, sizeof got);
}

#define CALL(name, ...) (says("MPI_" #name), checked(MPI_##name(__VA_ARGS__)))
#define WAITED(name, ...) \
  (CALL(name, __VA_ARGS__, &request), CALL(Wait, &request, MPI_STATUS_IGNORE), taken())
#if MPI_VERSION >= 4
#define PERSISTENT(name, ...) \
  (CALL(name, __VA_ARGS__, MPI_INFO_NULL, &request), CALL(Start, &request), \
   CALL(Wait, &request, MPI_STATUS_IGNORE), CALL(Request_free, &request), taken())
#else
#define PERSISTENT(name, ...) (void)0
#endif
#define ALL_FORMS(name, non_blocking, ...) \
  (CALL(name, __VA_ARGS__), taken(), WAITED(non_blocking, __VA_ARGS__), \
   PERSISTENT(name##_init, __VA_ARGS__))

static MPI_Datatype types[2];
static int in[8], counts[2] = { 1, 2 }, places[2] = { 0, 1 }, bytes[2] = { 0, 4 };

/* Of what either process has for the other, the second has more. */
static void collectives(MPI_Comm all)
{
  int own = counts[rank], back[2] = { own, own }, back_places[2] = { 0, own };
  int back_bytes[2] = { 0, 4 * own };
  ALL_FORMS(Barrier, Ibarrier, all);
  ALL_FORMS(Bcast, Ibcast, in, 1, MPI_INT, 0, all);
  ALL_FORMS(Gather, Igather, in, 1, MPI_INT, got, 1, MPI_INT, 0, all);
  ALL_FORMS(Gatherv, Igatherv, in, own, MPI_INT, got, counts, places, MPI_INT, 0, all);
  ALL_FORMS(Scatter, Iscatter, in, 1, MPI_INT, got, 1, MPI_INT, 0, all);
  ALL_FORMS(Scatterv, Iscatterv, in, counts, places, MPI_INT, got, own, MPI_INT, 0, all);
  ALL_FORMS(Allgather, Iallgather, in, 1, MPI_INT, got, 1, MPI_INT, all);
  ALL_FORMS(Allgatherv, Iallgatherv, in, own, MPI_INT, got, counts, places, MPI_INT, all);
  ALL_FORMS(Alltoall, Ialltoall, in, 1, MPI_INT, got, 1, MPI_INT, all);
  ALL_FORMS(Alltoallv, Ialltoallv, in, counts, places, MPI_INT, got, back, back_places, MPI_INT,
            all);
  ALL_FORMS(Alltoallw, Ialltoallw, in, counts, bytes, types, got, back, back_bytes, types, all);
  ALL_FORMS(Allreduce, Iallreduce, in, got, 1, MPI_INT, MPI_SUM, all);
  ALL_FORMS(Reduce, Ireduce, in, got, 1, MPI_INT, MPI_SUM, 0, all);
  ALL_FORMS(Reduce_scatter, Ireduce_scatter, in, got, counts, MPI_INT, MPI_SUM, all);
  ALL_FORMS(Reduce_scatter_block, Ireduce_scatter_block, in, got, 1, MPI_INT, MPI_SUM, all);
  ALL_FORMS(Scan, Iscan, in, got, 1, MPI_INT, MPI_SUM, all);
  ALL_FORMS(Exscan, Iexscan, in, got, 1, MPI_INT, MPI_SUM, all);
}

/* Either process is the only neighbour of the other. */
static void neighbours(void)
{
  int few[1] = { 3 }, first[1] = { 0 };
  MPI_Aint start[1] = { 0 };
  MPI_Comm near;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &other, MPI_UNWEIGHTED, 1, &other,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &near);
  ALL_FORMS(Neighbor_allgather, Ineighbor_allgather, in, 3, MPI_INT, got, 3, MPI_INT, near);
  ALL_FORMS(Neighbor_allgatherv, Ineighbor_allgatherv, in, 3, MPI_INT, got, few, first, MPI_INT,
            near);
  ALL_FORMS(Neighbor_alltoall, Ineighbor_alltoall, in, 3, MPI_INT, got, 3, MPI_INT, near);
  ALL_FORMS(Neighbor_alltoallv, Ineighbor_alltoallv, in, few, first, MPI_INT, got, few, first,
            MPI_INT, near);
  ALL_FORMS(Neighbor_alltoallw, Ineighbor_alltoallw, in, few, start, types, got, few, start, types,
            near);
  CALL(Comm_free, &near);
}

static MPI_File file;
static MPI_Status status;

/* Both processes' pointers, and the one that they share, are at the beginning. */
static void rewinds(void)
{
  CALL(Barrier, MPI_COMM_WORLD);
  CALL(File_seek, file, 8 * rank, MPI_SEEK_SET);
  CALL(File_seek_shared, file, 0, MPI_SEEK_SET);
  CALL(Barrier, MPI_COMM_WORLD);
}

#define AT_POINTER(name, buffer) (rewinds(), CALL(name, file, buffer, 2, MPI_INT, &status), taken())
#define AT_PLACE(name, buffer) \
  (rewinds(), CALL(name, file, 8 * rank, buffer, 2, MPI_INT, &status), taken())
#define I_AT_POINTER(name, buffer) (rewinds(), WAITED(name, file, buffer, 2, MPI_INT))
#define I_AT_PLACE(name, buffer) (rewinds(), WAITED(name, file, 8 * rank, buffer, 2, MPI_INT))
#define SPLIT(name, buffer) \
  (rewinds(), CALL(name##_begin, file, buffer, 2, MPI_INT), CALL(name##_end, file, buffer, &status), \
   taken())
#define SPLIT_AT_PLACE(name, buffer) \
  (rewinds(), CALL(name##_begin, file, 8 * rank, buffer, 2, MPI_INT), \
   CALL(name##_end, file, buffer, &status), taken())

static void writes(void)
{
  AT_POINTER(File_write, in);
  AT_POINTER(File_write_all, in);
  AT_POINTER(File_write_ordered, in);
  AT_PLACE(File_write_at, in);
  AT_PLACE(File_write_at_all, in);
  I_AT_POINTER(File_iwrite, in);
  I_AT_POINTER(File_iwrite_all, in);
  I_AT_PLACE(File_iwrite_at, in);
  I_AT_PLACE(File_iwrite_at_all, in);
  SPLIT(File_write_all, in);
  SPLIT(File_write_ordered, in);
  SPLIT_AT_PLACE(File_write_at_all, in);
  /* Who is first is not known, so both write the same. */
  AT_POINTER(File_write_shared, counts);
  I_AT_POINTER(File_iwrite_shared, counts);
}

static void reads(void)
{
  AT_POINTER(File_read, got);
  AT_POINTER(File_read_all, got);
  AT_POINTER(File_read_ordered, got);
  AT_POINTER(File_read_shared, got);
  AT_PLACE(File_read_at, got);
  AT_PLACE(File_read_at_all, got);
  I_AT_POINTER(File_iread, got);
  I_AT_POINTER(File_iread_all, got);
  I_AT_POINTER(File_iread_shared, got);
  I_AT_PLACE(File_iread_at, got);
  I_AT_PLACE(File_iread_at_all, got);
  SPLIT(File_read_all, got);
  SPLIT(File_read_ordered, got);
  SPLIT_AT_PLACE(File_read_at_all, got);
}

/* Both do the same to what the other has, each at its own place. */
static void operations(void)
{
  int memory[8] = { 0 }, one = 1, zero = 0, flag = 0;
  MPI_Aint address, there;
  MPI_Win win;
  MPI_Group all, group;
  CALL(Win_create_dynamic, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  CALL(Win_attach, win, memory, sizeof memory);
  MPI_Get_address(memory, &address);
  CALL(Sendrecv, &address, 1, MPI_AINT, other, 0, &there, 1, MPI_AINT, other, 0, MPI_COMM_WORLD,
       MPI_STATUS_IGNORE);
  CALL(Win_lock_all, 0, win);
  CALL(Put, in, 2, MPI_INT, other, there, 2, MPI_INT, win);
  CALL(Win_flush_all, win);
  WAITED(Rput, in, 2, MPI_INT, other, there + 8, 2, MPI_INT, win);
  WAITED(Raccumulate, in, 2, MPI_INT, other, there + 16, 2, MPI_INT, MPI_SUM, win);
  CALL(Win_flush, other, win);
  WAITED(Rget, got, 2, MPI_INT, other, there, 2, MPI_INT, win);
  WAITED(Rget_accumulate, in, 2, MPI_INT, got, 2, MPI_INT, other, there, 2, MPI_INT, MPI_SUM, win);
  CALL(Get_accumulate, in, 2, MPI_INT, got, 2, MPI_INT, other, there, 2, MPI_INT, MPI_SUM, win);
  CALL(Win_flush_local_all, win);
  taken();
  CALL(Fetch_and_op, &one, got, MPI_INT, other, there, MPI_SUM, win);
  CALL(Win_flush_local, other, win);
  taken();
  CALL(Compare_and_swap, &one, &zero, got, MPI_INT, other, there + 24, win);
  CALL(Win_sync, win);
  CALL(Win_unlock_all, win);
  taken();
  CALL(Barrier, MPI_COMM_WORLD);
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &other, &group);
  CALL(Win_post, group, 0, win);
  CALL(Win_start, group, 0, win);
  CALL(Accumulate, in, 2, MPI_INT, other, there, 2, MPI_INT, MPI_SUM, win);
  CALL(Win_complete, win);
  /* How often that is, nobody knows. */
  while (!flag)
    MPI_Win_test(win, &flag);
  memcpy(got, memory, sizeof got);
  taken();
  MPI_Group_free(&group);
  MPI_Group_free(&all);
  CALL(Win_detach, win, memory);
  CALL(Win_free, &win);
}

#if MPI_VERSION >= 4
static void communicators(void)
{
  MPI_Comm made, inter;
  MPI_Session session;
  MPI_Group all, own, others;
  int size;
  CALL(Comm_idup_with_info, MPI_COMM_WORLD, MPI_INFO_NULL, &made, &request);
  CALL(Wait, &request, MPI_STATUS_IGNORE);
  CALL(Comm_free, &made);
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
  MPI_Group_incl(all, 1, &rank, &own);
  MPI_Group_incl(all, 1, &other, &others);
  CALL(Intercomm_create_from_groups, own, 0, others, 0, "both", MPI_INFO_NULL,
       MPI_ERRORS_ARE_FATAL, &inter);
  CALL(Sendrecv, in, 1, MPI_INT, 0, 0, got, 1, MPI_INT, 0, 0, inter, MPI_STATUS_IGNORE);
  taken();
  MPI_Comm_remote_size(inter, &size);
  sum += size;
  CALL(Comm_free, &inter);
  MPI_Group_free(&others);
  MPI_Group_free(&own);
  MPI_Group_free(&all);
  MPI_Session_finalize(&session);
}
#else
static void communicators(void)
{
}
#endif

int main(int argc, char **argv)
{
  long others;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  other = 1 - rank;
  types[0] = types[1] = MPI_INT;
  for (int i = 0; i < 8; i++)
    in[i] = 10 * rank + i + 1;
  collectives(MPI_COMM_WORLD);
  neighbours();
  CALL(File_open, MPI_COMM_WORLD, "forms data",
       MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  writes();
  reads();
  CALL(File_close, &file);
  operations();
  communicators();
  CALL(Sendrecv, &sum, 1, MPI_LONG, other, 0, &others, 1, MPI_LONG, other, 0, MPI_COMM_WORLD,
       MPI_STATUS_IGNORE);
  if (rank == 0)
    printf("sum %ld\n", sum + others);
  MPI_Finalize();
  return 0;
}
