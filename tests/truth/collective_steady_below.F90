! A rank has more to do two calls below, in collective_steady_below_field.F90.
! cause: rank_imbalance_steady
! advice: none
! body: sleeps
! ranks: 2
! instrument: --functions
! with: collective_steady_below_field.F90
! plain: rest.c
! vary: LATE=rank UNIT_US=2500..3500
program below
  use mpi
  use field
  implicit none
  integer :: ierr, round
  real(8) :: started, seconds, longest, total
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  started = MPI_Wtime()
  total = 0
  do round = 1, 400000 / UNIT_US / 4
     call advance()
     call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, &
          MPI_COMM_WORLD, ierr)
  end do
  seconds = MPI_Wtime() - started
  call MPI_Reduce(seconds, longest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD, ierr)
  if (me == 0) print '(a, f9.6)', 'seconds: ', longest
  call MPI_Finalize(ierr)
end program below
