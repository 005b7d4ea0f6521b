! The lock is kept too long two calls below, in lock_below_queue.F90.
! cause: lock
! advice: none
! body: sleeps
! threads: 3 4
! instrument: --functions
! with: lock_below_queue.F90
! plain: rest.c
! vary: UNIT_US=1500..2000
program below
  use queue
  implicit none
  integer :: round
  call open_queue()
  !$omp parallel private(round)
  do round = 1, 420000 / UNIT_US / THREADS
     call rest(UNIT_US)
     call produce()
  end do
  !$omp end parallel
  print *, length
end program below
