! A few iterations in a row take long, each time others: a static schedule gives them to one thread.
! The repair spreads them, so that each thread has one.
! cause: imbalance_changing
! advice: schedule -> OMP_SCHEDULE={value}
! body: sleeps
! threads: 3 4 8
! faulty: OMP_SCHEDULE=static
! repaired: OMP_SCHEDULE=static
! plain: rest.c
! vary: START=0..7 SHORT_US=300..400 ROUNDS=30..32
program needs_dynamic
  implicit none
  integer :: round, i, first
  do round = 1, ROUNDS
     first = mod(round + START, THREADS) * 8
     !$omp parallel do schedule(runtime) ! <-- cause
     do i = 0, 8 * THREADS - 1
        if (is_long(i, first)) then
           call rest(SHORT_US * 32 / THREADS)
        else
           call rest(SHORT_US)
        end if
     end do
     !$omp end parallel do
  end do
  print *, ROUNDS, 'rounds'
contains
  pure logical function is_long(i, first)
    integer, intent(in) :: i, first
#ifdef REPAIRED
    is_long = mod(i, 8) == mod(first, 8)
#else
    is_long = i >= first .and. i < first + THREADS
#endif
  end function is_long
end program needs_dynamic
