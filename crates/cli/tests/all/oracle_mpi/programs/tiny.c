/* As much of an MPI library as a program of one process needs that only begins, adds up, and ends: one
   that can be linked without any shared library. Handles are integers, as in the mpi.h of MPICH. */
#define IS(name) __attribute__((weak, alias("P" #name)))
#define ANSWERS(name) int P##name(void) { return 0; }

int *const MPI_UNWEIGHTED;

enum { COMM_NULL = 0x04000000, UNDEFINED = -32766 };

int PMPI_Comm_size(int comm, int *size) { *size = 1; return 0; }
int PMPI_Comm_rank(int comm, int *rank) { *rank = 0; return 0; }
int PMPI_Group_size(int group, int *size) { *size = 1; return 0; }
int PMPI_Comm_test_inter(int comm, int *is) { *is = 0; return 0; }
int PMPI_Topo_test(int comm, int *topology) { *topology = UNDEFINED; return 0; }
int PMPI_Comm_get_parent(int *parent) { *parent = COMM_NULL; return 0; }
int PMPI_Comm_dup(int comm, int *made) { *made = comm + 100; return 0; }
int PMPI_Comm_group(int comm, int *group) { *group = 1; return 0; }
int PMPI_Type_size(int type, int *size) { *size = 4; return 0; }
int PMPI_Group_translate_ranks(int from, int n, const int *ranks, int to, int *found)
{
  found[0] = 0;
  return 0;
}
int PMPI_Allreduce(const void *from, void *to, int count, int type, int op, int comm)
{
  *(int *)to = *(const int *)from;
  return 0;
}
ANSWERS(MPI_Init)
ANSWERS(MPI_Finalize)
ANSWERS(MPI_Bcast)
ANSWERS(MPI_Comm_free)
ANSWERS(MPI_Group_free)

/* What the wrappers call for the rest of MPI. */
#define OTHERS                                                                                    \
  ANSWERS(MPI_Cart_get) ANSWERS(MPI_Cart_shift) ANSWERS(MPI_Cartdim_get)                           \
  ANSWERS(MPI_Comm_create_keyval) ANSWERS(MPI_Comm_delete_attr) ANSWERS(MPI_Comm_f2c)              \
  ANSWERS(MPI_Comm_get_attr) ANSWERS(MPI_Dist_graph_create_adjacent)                               \
  ANSWERS(MPI_Dist_graph_neighbors) ANSWERS(MPI_Graph_neighbors) ANSWERS(MPI_Wait)                 \
  ANSWERS(MPI_Comm_get_name) ANSWERS(MPI_Comm_remote_group) ANSWERS(MPI_Comm_remote_size)          \
  ANSWERS(MPI_Comm_set_attr) ANSWERS(MPI_Comm_set_errhandler) ANSWERS(MPI_Comm_split)              \
  ANSWERS(MPI_Dist_graph_neighbors_count) ANSWERS(MPI_Error_class) ANSWERS(MPI_File_f2c)           \
  ANSWERS(MPI_File_get_position) ANSWERS(MPI_File_get_position_shared) ANSWERS(MPI_Get_count)      \
  ANSWERS(MPI_Get_elements_x) ANSWERS(MPI_Graph_neighbors_count) ANSWERS(MPI_Ibarrier)             \
  ANSWERS(MPI_Improbe) ANSWERS(MPI_Mrecv) ANSWERS(MPI_Recv) ANSWERS(MPI_Reduce) ANSWERS(MPI_Send)  \
  ANSWERS(MPI_Status_f2c) ANSWERS(MPI_Test) ANSWERS(MPI_Test_cancelled) ANSWERS(MPI_Type_size_x)   \
  ANSWERS(MPI_Win_get_name) ANSWERS(MPI_Comm_get_errhandler) ANSWERS(MPI_Errhandler_free)          \
  ANSWERS(MPI_Intercomm_merge) ANSWERS(MPI_Scan)
OTHERS

int MPI_Init(void) IS(MPI_Init);
int MPI_Finalize(void) IS(MPI_Finalize);
int MPI_Allreduce(const void *from, void *to, int count, int type, int op, int comm)
  IS(MPI_Allreduce);
