/* MPI without MPI_Init: two rounds of a session in which all processes talk, and a communicator of
   oneself. With "apart", only the latter; with "before" or "behind", there is MPI_Init too, in front of
   them or when the first communicator of all is there. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#if MPI_VERSION >= 4 || defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5
static MPI_Comm made_from(MPI_Session session, const char *set, const char *tag)
{
  MPI_Group group;
  MPI_Comm comm;
  MPI_Group_from_session_pset(session, set, &group);
  MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Group_free(&group);
  return comm;
}

static void talk(MPI_Comm comm)
{
  int rank, size, got = 0, sum = 0;
  MPI_Comm half;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 5, &got, 1, MPI_INT, (rank + size - 1) % size,
               5, comm, MPI_STATUS_IGNORE);
  MPI_Comm_split(comm, rank % 2, 0, &half);
  MPI_Comm_free(&half);
  MPI_Allreduce(&got, &sum, 1, MPI_INT, MPI_SUM, comm);
  if (rank == 0)
    printf("sum %d\n", sum);
}

int main(int argc, char **argv)
{
  const char *how = argc > 1 ? argv[1] : "";
  int is_before = !strcmp(how, "before"), is_behind = !strcmp(how, "behind");
  if (is_before)
    MPI_Init(&argc, &argv);
  MPI_Session first;
  /* Not every library can begin again after its last session. */
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &first);
  for (int round = 0; round < 2; round++) {
    MPI_Session session;
    MPI_Comm self, all = MPI_COMM_NULL, second = MPI_COMM_NULL;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    self = made_from(session, "mpi://SELF", "alone");
    MPI_Barrier(self);
    if (strcmp(how, "apart")) {
      all = made_from(session, "mpi://WORLD", "all");
      second = made_from(session, "mpi://WORLD", "second");
      if (is_behind && round == 0)
        MPI_Init(&argc, &argv);
      talk(all);
      MPI_Comm_free(&all);
      MPI_Barrier(second);
      MPI_Comm_free(&second);
    }
    MPI_Comm_free(&self);
    MPI_Session_finalize(&session);
  }
  MPI_Session_finalize(&first);
  if (is_before || is_behind) {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
  }
  return 0;
}
#else
int main(void)
{
  puts("no sessions");
  return 0;
}
#endif
