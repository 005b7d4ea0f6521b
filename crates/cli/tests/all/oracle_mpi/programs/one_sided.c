/* One function for each reason to wait for another process of a window. In each of them one of three
   processes sleeps for so long as the first argument says, in milliseconds. */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

static int rank, value, memory[4];
static long nap_us;
static MPI_Win win;
static MPI_Group everybody;

static void nap(int who)
{
  if (rank == who)
    usleep(nap_us);
}

static void together(void)
{
  MPI_Barrier(MPI_COMM_WORLD);
}

static MPI_Group only(int who)
{
  MPI_Group group;
  MPI_Group_incl(everybody, 1, &who, &group);
  return group;
}

static void create(void)
{
  nap(1);
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
}

static void fences(void)
{
  MPI_Win_fence(0, win);
  nap(1);
  if (rank == 1)
    MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
}

static void late_post(void)
{
  if (rank == 0) {
    MPI_Win_start(only(1), 0, win);
    MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    MPI_Win_complete(win);
  } else if (rank == 1) {
    nap(1);
    MPI_Win_post(only(0), 0, win);
    MPI_Win_wait(win);
  }
}

static void early_wait(void)
{
  if (rank == 0) {
    MPI_Win_start(only(1), 0, win);
    MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    nap(0);
    MPI_Win_complete(win);
  } else if (rank == 1) {
    MPI_Win_post(only(0), 0, win);
    MPI_Win_wait(win);
  }
}

static void access_with_lock(void)
{
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
  MPI_Put(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
  MPI_Win_unlock(0, win);
}

static void compete(void)
{
  if (rank == 1) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Put(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
    MPI_Win_flush(0, win);
  }
  together();
  nap(1);
  if (rank == 1)
    MPI_Win_unlock(0, win);
  if (rank == 2)
    access_with_lock();
}

static void progress(void)
{
  nap(0);
  if (rank == 1)
    access_with_lock();
}

static void end(void)
{
  nap(2);
  MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
  void (*steps[])(void) = { create, fences, late_post, early_wait, compete, progress, end };
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_group(MPI_COMM_WORLD, &everybody);
  nap_us = argc > 1 ? 1000 * atol(argv[1]) : 50000;
  for (unsigned step = 0; step < sizeof steps / sizeof steps[0]; step++) {
    together();
    steps[step]();
    together();
  }
  MPI_Finalize();
  return 0;
}
