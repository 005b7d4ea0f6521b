! Atomic updates of a counter that each thread has for itself: they are short, and no thread waits.
! cause: none
! advice: none
! body: computes
! threads: 2
! vary: ROUNDS=81000000..99000000
program counters
  use omp_lib
  implicit none
  integer(8) :: counts(16, 0:1), i
  integer :: me
  counts = 0
  !$omp parallel private(me, i)
  me = omp_get_thread_num()
  do i = 1, ROUNDS
     !$omp atomic
     counts(1 + mod(i, 7_8), me) = counts(1 + mod(i, 7_8), me) + mod(i * i, 5_8)
  end do
  !$omp end parallel
  print *, sum(counts)
end program counters
