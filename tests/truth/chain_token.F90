! Ranks write one after the other: who has the token writes and passes it on. The repair lets all
! write at once.
! cause: serialised_chain
! advice: none
! body: sleeps
! ranks: 2
! plain: rest.c
! vary: UNIT_US=4000..6000
program token
  use mpi
  implicit none
  integer :: ierr, round, me, pass
  real(8) :: started, seconds, longest
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  started = MPI_Wtime()
  pass = 0
  do round = 1, 400000 / UNIT_US / RANKS
#ifdef REPAIRED
     call rest(UNIT_US)
#else
     if (me > 0) then
        call MPI_Recv(pass, 1, MPI_INTEGER, me - 1, 0, MPI_COMM_WORLD, & ! <-- cause
             MPI_STATUS_IGNORE, ierr)
     end if
     call rest(UNIT_US)
     if (me < RANKS - 1) call MPI_Send(pass, 1, MPI_INTEGER, me + 1, 0, MPI_COMM_WORLD, ierr)
#endif
     call MPI_Barrier(MPI_COMM_WORLD, ierr)
  end do
  seconds = MPI_Wtime() - started
  call MPI_Reduce(seconds, longest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD, ierr)
  if (me == 0) print '(a, f9.6)', 'seconds: ', longest
  call MPI_Finalize(ierr)
end program token
