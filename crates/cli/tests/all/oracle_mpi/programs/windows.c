/* One-sided communication between two processes, by every kind of synchronisation. */
#include <mpi.h>
#include <stdio.h>

static int rank, other;
static MPI_Win win;

static void active(int *memory)
{
  int value = rank + 1, got = 0;
  MPI_Group all, one;
  MPI_Win_fence(0, win);
  MPI_Put(&value, 1, MPI_INT, other, 0, 1, MPI_INT, win);
  MPI_Put(&value, 1, MPI_INT, other, 1, 1, MPI_INT, win);
  MPI_Put(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &other, &one);
  for (int i = 0; i < 2; i++) {
    MPI_Win_post(one, 0, win);
    MPI_Win_start(one, 0, win);
    MPI_Get(&got, 1, MPI_INT, other, 0, 1, MPI_INT, win);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
  }
  MPI_Group_free(&one);
  MPI_Group_free(&all);
  if (memory[0] == other + 1 && got == value)
    printf("active\n");
}

static void passive(void)
{
  int one = 1, old = 0, zero = 0;
  MPI_Request request;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
  MPI_Accumulate(&one, 1, MPI_INT, 0, 2, 1, MPI_INT, MPI_SUM, win);
  MPI_Win_unlock(0, win);
  MPI_Win_lock_all(0, win);
  MPI_Fetch_and_op(&one, &old, MPI_INT, 1, 2, MPI_SUM, win);
  MPI_Win_flush_local(1, win);
  MPI_Fetch_and_op(&one, &old, MPI_INT, 1, 2, MPI_REPLACE, win);
  MPI_Compare_and_swap(&one, &zero, &old, MPI_INT, 0, 3, win);
  MPI_Win_flush(1, win);
  MPI_Rget(&old, 1, MPI_INT, 0, 2, 1, MPI_INT, win, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_sync(win);
  MPI_Win_unlock_all(win);
}

int main(int argc, char **argv)
{
  int *memory, *other_memory;
  MPI_Win second;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  other = 1 - rank;
  MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_set_name(win, "halo");
  for (int i = 0; i < 4; i++)
    memory[i] = 0;
  active(memory);
  passive();
  /* A window that comes and goes is one window; two at the same time are two. */
  for (int i = 0; i < 3; i++) {
    MPI_Alloc_mem(sizeof(int), MPI_INFO_NULL, &other_memory);
    MPI_Win_create(other_memory, sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &second);
    MPI_Win_free(&second);
    MPI_Free_mem(other_memory);
  }
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
