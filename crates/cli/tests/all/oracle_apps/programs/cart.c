/* A decomposition in three dimensions: faces are packed by all threads and exchanged by one. */
#include <mpi.h>
#include <stdio.h>

enum { STEPS = 5, N = 8 };
static long box[N + 2][N + 2][N + 2], next[N + 2][N + 2][N + 2], out[N][N], in[N][N];

static long *face(int dimension, int plane, int i, int j)
{
  if (dimension == 0)
    return &box[plane][i + 1][j + 1];
  return dimension == 1 ? &box[i + 1][plane][j + 1] : &box[i + 1][j + 1][plane];
}

static void exchange(MPI_Comm grid, int dimension, int direction)
{
  int from, to;
  MPI_Cart_shift(grid, dimension, direction, &from, &to);
#pragma omp parallel for collapse(2)
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      out[i][j] = *face(dimension, direction > 0 ? N : 1, i, j);
  MPI_Sendrecv(out, N * N, MPI_LONG, to, dimension, in, N * N, MPI_LONG, from, dimension, grid,
               MPI_STATUS_IGNORE);
  if (from == MPI_PROC_NULL)
    return;
#pragma omp parallel for collapse(2)
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      *face(dimension, direction > 0 ? 0 : N + 1, i, j) = in[i][j];
}

int main(int argc, char **argv)
{
  int provided, rank, size, dims[3] = { 0, 0, 0 }, open[3] = { 0, 0, 0 };
  long sum = 0, all = 0;
  MPI_Comm grid;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, 3, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 3, dims, open, 0, &grid);
  MPI_Comm_rank(grid, &rank);
  for (int step = 0; step < STEPS; step++) {
#pragma omp parallel
    {
#pragma omp for
      for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++)
          for (int k = 1; k <= N; k++)
            next[i][j][k] = (box[i - 1][j][k] + box[i][j + 1][k] + i * j + k + rank) & 0xfff;
#pragma omp for
      for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++)
          for (int k = 1; k <= N; k++)
            box[i][j][k] = next[i][j][k];
    }
    for (int dimension = 0; dimension < 3; dimension++) {
      exchange(grid, dimension, 1);
      exchange(grid, dimension, -1);
    }
  }
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < N + 2; i++)
    for (int j = 0; j < N + 2; j++)
      for (int k = 0; k < N + 2; k++)
        sum += box[i][j][k];
  MPI_Allreduce(&sum, &all, 1, MPI_LONG, MPI_SUM, grid);
  if (rank == 0)
    printf("%d %ld\n", provided >= MPI_THREAD_FUNNELED, all);
  MPI_Comm_free(&grid);
  MPI_Finalize();
  return 0;
}
