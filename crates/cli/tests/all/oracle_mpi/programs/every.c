/* Functions that other programs here do not call, once each, between two processes. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, other;

static void sends(void)
{
  int value = 1, got[10], index, flag = 0, done = 0, count, indices[10];
  MPI_Request sent[6], received[10];
  MPI_Comm all = MPI_COMM_WORLD;
  void *buffer = malloc(1 << 16);
  MPI_Buffer_attach(buffer, 1 << 16);
  for (int i = 0; i < 10; i++)
    MPI_Irecv(&got[i], 1, MPI_INT, other, i, all, &received[i]);
  MPI_Barrier(all);
  MPI_Ssend(&value, 1, MPI_INT, other, 0, all);
  MPI_Rsend(&value, 1, MPI_INT, other, 1, all);
  MPI_Bsend(&value, 1, MPI_INT, other, 2, all);
  MPI_Issend(&value, 1, MPI_INT, other, 3, all, &sent[0]);
  MPI_Irsend(&value, 1, MPI_INT, other, 4, all, &sent[1]);
  MPI_Ibsend(&value, 1, MPI_INT, other, 5, all, &sent[2]);
  MPI_Bsend_init(&value, 1, MPI_INT, other, 6, all, &sent[3]);
  MPI_Rsend_init(&value, 1, MPI_INT, other, 7, all, &sent[4]);
  MPI_Ssend_init(&value, 1, MPI_INT, other, 8, all, &sent[5]);
  MPI_Startall(3, sent + 3);
  MPI_Send(&value, 1, MPI_INT, other, 9, all);
  MPI_Waitall(6, sent, MPI_STATUSES_IGNORE);
  for (int i = 3; i < 6; i++)
    MPI_Request_free(&sent[i]);
  while (!flag)
    MPI_Testany(10, received, &index, &flag, MPI_STATUS_IGNORE);
  for (done = 1; done < 2; done += count)
    MPI_Testsome(10, received, &count, indices, MPI_STATUSES_IGNORE);
  for (; done < 10; done += count)
    MPI_Waitsome(10, received, &count, indices, MPI_STATUSES_IGNORE);
  MPI_Buffer_detach(&buffer, &count);
  free(buffer);
}

static void probes(void)
{
  int value = 1, got;
  MPI_Message message;
  MPI_Request sent[2], received;
  for (int i = 0; i < 2; i++)
    MPI_Isend(&value, 1, MPI_INT, other, 20 + i, MPI_COMM_WORLD, &sent[i]);
  MPI_Mprobe(other, 20, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  MPI_Mprobe(other, 21, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Imrecv(&got, 1, MPI_INT, &message, &received);
  MPI_Wait(&received, MPI_STATUS_IGNORE);
  MPI_Waitall(2, sent, MPI_STATUSES_IGNORE);
}

static void collectives(void)
{
  int in[2] = { 1, 2 }, out[2], ones[2] = { 1, 1 }, places[2] = { 0, 1 }, bytes[2] = { 0, 4 };
  MPI_Datatype types[2] = { MPI_INT, MPI_INT };
  MPI_Comm all = MPI_COMM_WORLD;
  MPI_Alltoall(in, 1, MPI_INT, out, 1, MPI_INT, all);
  MPI_Alltoallv(in, ones, places, MPI_INT, out, ones, places, MPI_INT, all);
  MPI_Alltoallw(in, ones, bytes, types, out, ones, bytes, types, all);
  MPI_Gather(in, 1, MPI_INT, out, 1, MPI_INT, 0, all);
  MPI_Gatherv(in, 1, MPI_INT, out, ones, places, MPI_INT, 0, all);
  MPI_Scatter(in, 1, MPI_INT, out, 1, MPI_INT, 0, all);
  MPI_Scatterv(in, ones, places, MPI_INT, out, 1, MPI_INT, 0, all);
  MPI_Reduce_scatter(in, out, ones, MPI_INT, MPI_SUM, all);
  MPI_Reduce_scatter_block(in, out, 1, MPI_INT, MPI_SUM, all);
  MPI_Scan(in, out, 1, MPI_INT, MPI_SUM, all);
  MPI_Exscan(in, out, 1, MPI_INT, MPI_SUM, all);
}

static void communicators(void)
{
  MPI_Group group;
  MPI_Comm made[5];
  int one[2] = { 1, 2 }, edges[2] = { 1, 0 }, degree = 1;
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Comm_create(MPI_COMM_WORLD, group, &made[0]);
  MPI_Comm_create_group(MPI_COMM_WORLD, group, 5, &made[1]);
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &made[2]);
  MPI_Graph_create(MPI_COMM_WORLD, 2, one, edges, 0, &made[3]);
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, &other, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                        &made[4]);
  MPI_Group_free(&group);
  for (int i = 0; i < 4; i++)
    MPI_Comm_free(&made[i]);
  MPI_Comm_disconnect(&made[4]);
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  other = 1 - rank;
  sends();
  probes();
  collectives();
  communicators();
  MPI_Finalize();
  return 0;
}
