! The upper half of a matrix: the first rows are the long ones, and a static schedule gives them to
! one thread. The repair pairs a long row with a short one.
! cause: imbalance_steady
! advice: schedule -> OMP_SCHEDULE={value}
! body: sleeps
! threads: 2 4
! faulty: OMP_SCHEDULE=static
! repaired: OMP_SCHEDULE=static
! plain: rest.c
! vary: CELL_US=60..70 ROUNDS=55..60
program triangle
  implicit none
  integer, parameter :: rows = 16
  integer :: round, i
  do round = 1, ROUNDS
     !$omp parallel do schedule(runtime) ! <-- cause
     do i = 0, rows - 1
        call rest(CELL_US * THREADS * (rows - row(i)) / 2)
     end do
     !$omp end parallel do
  end do
  print *, ROUNDS, 'rounds'
contains
  pure integer function row(i)
    integer, intent(in) :: i
#ifdef REPAIRED
    row = merge(i / 2, rows - 1 - i / 2, mod(i, 2) == 0)
#else
    row = i
#endif
  end function row
end program triangle
