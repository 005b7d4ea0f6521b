/* The shape of a hydrodynamics code on few cores: each process steps through tiny parallel loops,
   exchanges halos with its neighbours in a ring of three distances, and agrees on the next step. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define LOOPS 30
#define PARTNERS 6
#define HALO 400

static double sum_of(double *values, int count)
{
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < count; i++) {
    values[i] = values[i] * 0.999 + 0.001;
    sum += values[i];
  }
  return sum;
}

static void exchange(double *from, double *to, int rank, int size)
{
  MPI_Request requests[2 * PARTNERS];
  int count = 0;
  for (int distance = 1; distance <= PARTNERS / 2; distance++)
    for (int side = -1; side <= 1; side += 2) {
      int partner = (rank + side * distance + size) % size;
      MPI_Irecv(to + count / 2 * HALO, HALO, MPI_DOUBLE, partner, side * distance + 9,
                MPI_COMM_WORLD, &requests[count]);
      MPI_Isend(from, HALO, MPI_DOUBLE, partner, -side * distance + 9, MPI_COMM_WORLD,
                &requests[count + 1]);
      count += 2;
    }
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  int rank, size, steps = argc > 1 ? atoi(argv[1]) : 100, cells = argc > 2 ? atoi(argv[2]) : 1000;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double *values = calloc(cells > HALO ? cells : HALO, sizeof *values);
  double *halos = calloc(PARTNERS * HALO, sizeof *halos), step = 1, sum = 0;
  for (int i = 0; i < steps; i++) {
    for (int loop = 0; loop < LOOPS; loop++)
      sum += sum_of(values, cells);
    exchange(values, halos, rank, size);
    MPI_Allreduce(&sum, &step, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  }
  if (rank == 0)
    printf("%d\n", step > 0);
  MPI_Finalize();
  return 0;
}
