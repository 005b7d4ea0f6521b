! Two functions that one thread runs alone, one three times as long as the other. The parallel loop
! takes longer than both, but there is nothing to gain there.
! cause: serial_part
! advice: none
! body: sleeps
! threads: 3 4 8
! instrument: --functions
! plain: rest.c
! vary: UNIT_US=1800..2200 ROUNDS=30..32 ORDER=0..1
program decoy
  implicit none
  integer :: round, i
  do round = 1, ROUNDS
#if ORDER
     call short_one()
     call long_one()
#else
     call long_one()
     call short_one()
#endif
     !$omp parallel do
     do i = 1, THREADS
        call rest(2 * UNIT_US)
     end do
     !$omp end parallel do
  end do
  print *, ROUNDS, 'rounds'
contains
  subroutine long_one() ! <-- cause
#ifdef REPAIRED
    integer :: k
    !$omp parallel do
    do k = 1, THREADS
       call rest(3 * UNIT_US / THREADS)
    end do
    !$omp end parallel do
#else
    call rest(3 * UNIT_US)
#endif
  end subroutine long_one

  subroutine short_one() ! the smaller cause
    call rest(UNIT_US)
  end subroutine short_one
end program decoy
