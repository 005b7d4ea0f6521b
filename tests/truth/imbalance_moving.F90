! A front of costly cells moves through the domain, so that in each step another thread has them.
! The loop is in a procedure that the parallel region calls.
! cause: imbalance_changing
! advice: schedule -> OMP_SCHEDULE={value}
! body: sleeps
! threads: 3 4
! faulty: OMP_SCHEDULE=static
! repaired: OMP_SCHEDULE=static
! plain: rest.c
! vary: SHORT_US=80..90 STEPS=36..40 START=0..7
program front
  implicit none
  integer, parameter :: cells = 16 * THREADS
  integer :: step, i
  !$omp parallel private(step)
  do step = 1, STEPS
     call advance(step)
  end do
  !$omp end parallel
  print *, STEPS
contains
  subroutine advance(step)
    integer, intent(in) :: step
    integer :: i
    !$omp do schedule(runtime) ! <-- cause
    do i = 1, cells
       call rest(merge(8 * SHORT_US, SHORT_US, is_front(i, step)))
    end do
    !$omp end do
  end subroutine advance
  pure logical function is_front(i, step)
    integer, intent(in) :: i, step
#ifdef REPAIRED
    is_front = mod(i + step, 4) == 0
#else
    is_front = (i - 1) / (4 * THREADS) == mod(step + START, 4)
#endif
  end function is_front
end program front
