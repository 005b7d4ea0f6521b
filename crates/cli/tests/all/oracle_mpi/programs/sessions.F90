! A session of Fortran's in which two processes talk, in mpif.h (MPIF), use mpi, or use mpi_f08 (F08).
program sessions
#ifdef F08
  use mpi_f08
  implicit none
  type(MPI_Session) :: session
  type(MPI_Group) :: group
  type(MPI_Comm) :: comm
#else
#ifdef MPIF
  implicit none
  include 'mpif.h'
#else
  use mpi
  implicit none
#endif
  integer :: session, group, comm
#endif
  integer :: rank, other, got, total, error
  call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, session, error)
  call MPI_Group_from_session_pset(session, 'mpi://WORLD', group, error)
  call MPI_Comm_create_from_group(group, 'all', MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, comm, error)
  call MPI_Group_free(group, error)
  call MPI_Comm_rank(comm, rank, error)
  other = 1 - rank
  call MPI_Sendrecv(rank, 1, MPI_INTEGER, other, 5, got, 1, MPI_INTEGER, other, 5, comm, &
                    MPI_STATUS_IGNORE, error)
  call MPI_Allreduce(got, total, 1, MPI_INTEGER, MPI_SUM, comm, error)
  if (rank == 0) print '(a,i0)', 'sum ', total
  call MPI_Comm_free(comm, error)
  call MPI_Session_finalize(session, error)
end program
