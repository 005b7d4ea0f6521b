! A master region two calls below, in master_below_control.F90; the others wait at a barrier here.
! cause: single_master
! advice: none
! body: sleeps
! threads: 3 4 8
! with: master_below_control.F90
! plain: rest.c
! vary: UNIT_US=3000..4000
program below
  use control
  implicit none
  integer :: round
  !$omp parallel private(round)
  do round = 1, 200000 / UNIT_US
     call check()
     !$omp barrier
     call rest(UNIT_US)
  end do
  !$omp end parallel
  print *, 'done'
end program below
