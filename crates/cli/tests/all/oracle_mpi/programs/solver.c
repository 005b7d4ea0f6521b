/* A library that calls MPI, for a program that does not; and a program in one, with MAIN. What it
   tells tools: which part is recorded, and what it asks about MPI itself. */
#include <mpi.h>
#include <stdio.h>

int solve(int *argc, char ***argv)
{
  int rank, value = 0, variables = 0, provided;
  MPI_Init(argc, argv);
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  MPI_T_cvar_get_num(&variables);
  MPI_T_finalize();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 3; i++)
    if (rank == 0)
      MPI_Send(&value, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
    else
      MPI_Recv(&value, 1, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Pcontrol(0);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Pcontrol(1);
  MPI_Pcontrol(2);
  MPI_Finalize();
  return variables <= 0;
}

#ifdef MAIN
int main(int argc, char **argv)
{
  return solve(&argc, &argv);
}
#endif
