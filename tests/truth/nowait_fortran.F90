! Two loops about different things; who is late in one is early in the other.
! cause: nowait_possible
! advice: nowait -> -DNOWAIT
! body: sleeps
! threads: 2 4 8
! plain: rest.c
! vary: UNIT_US=2500..3500 ROUNDS=22..24 ODD=0..1
program two_loops
  implicit none
  integer :: round, i
  !$omp parallel private(round)
  do round = 1, ROUNDS
     !$omp do schedule(static) ! <-- cause
     do i = 1, THREADS
        call rest(merge(3, 1, mod(i, 2) == ODD) * UNIT_US)
     end do
#if defined(REPAIRED) || defined(NOWAIT)
     !$omp end do nowait
#else
     !$omp end do
#endif
     !$omp do schedule(static)
     do i = 1, THREADS
        call rest(merge(1, 3, mod(i, 2) == ODD) * UNIT_US)
     end do
     !$omp end do
  end do
  !$omp end parallel
  print *, ROUNDS, 'rounds'
end program two_loops
