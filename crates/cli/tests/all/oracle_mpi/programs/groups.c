/* Four processes: grids and graphs, two sides that talk to each other, and operations of each. */
#include <mpi.h>
#include <stdio.h>

static int rank, size;

static void grid(void)
{
  int sides[2] = { 2, 2 }, periodic[2] = { 1, 0 }, from[4] = { 0 }, to[4] = { 0 }, keep[2] = { 1, 0 };
  MPI_Comm cart, row;
  MPI_Request request;
  MPI_Cart_create(MPI_COMM_WORLD, 2, sides, periodic, 0, &cart);
  MPI_Comm_set_name(cart, "grid");
  MPI_Neighbor_alltoall(from, 1, MPI_INT, to, 1, MPI_INT, cart);
  MPI_Ineighbor_allgather(from, 1, MPI_INT, to, 1, MPI_INT, cart, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Cart_sub(cart, keep, &row);
  MPI_Barrier(row);
  MPI_Comm_free(&row);
  MPI_Comm_free(&cart);
}

static void graph(void)
{
  int next = (rank + 1) % size, last = (rank + size - 1) % size, value = rank, got = -1;
  MPI_Comm ring;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &last, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &ring);
  MPI_Neighbor_allgather(&value, 1, MPI_INT, &got, 1, MPI_INT, ring);
  if (got != last)
    printf("wrong neighbour\n");
  MPI_Comm_free(&ring);
}

static void sides(void)
{
  int side = rank % 2, value = rank, got = -1, own;
  MPI_Comm half, both, all, node;
  MPI_Comm_split(MPI_COMM_WORLD, side, rank, &half);
  MPI_Comm_rank(half, &own);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - side, 12, &both);
  MPI_Comm_set_name(both, "sides");
  /* Each to the one of the same rank on the other side. */
  MPI_Sendrecv(&value, 1, MPI_INT, own, 4, &got, 1, MPI_INT, own, 4, both, MPI_STATUS_IGNORE);
  if (got != rank + 1 - 2 * side)
    printf("wrong side\n");
  MPI_Bcast(&value, 1, MPI_INT, side ? 0 : own ? MPI_PROC_NULL : MPI_ROOT, both);
  MPI_Allreduce(&rank, &got, 1, MPI_INT, MPI_SUM, both);
  MPI_Intercomm_merge(both, side, &all);
  MPI_Barrier(all);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Barrier(node);
  MPI_Comm_free(&node);
  MPI_Comm_free(&all);
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
}

static void again(void)
{
#if MPI_VERSION >= 4
  int value = 1, sum = 0;
  MPI_Request request;
  MPI_Allreduce_init(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int i = 0; i < 3; i++) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
#endif
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  grid();
  graph();
  sides();
  again();
  if (rank == 0)
    printf("MPI %d\n", MPI_VERSION);
  MPI_Finalize();
  return 0;
}
