! A taskloop whose tasks are one iteration each.
! cause: tasks_too_small
! advice: cutoff -> -DCUTOFF={value}
! body: computes
! threads: 2
! vary: ROUNDS=90..100
#ifndef CUTOFF
#ifdef REPAIRED
#define CUTOFF 1000
#else
#define CUTOFF 1
#endif
#endif
program small
  implicit none
  integer, parameter :: cells = 20000
  integer :: cell(cells), i, k, round
  cell = 0
  !$omp parallel
  !$omp single
  do round = 1, ROUNDS
     !$omp taskloop grainsize(CUTOFF) private(k) ! <-- cause
     do i = 1, cells
        do k = 1, 60
           cell(i) = mod(7 * cell(i) + i + k, 1009)
        end do
     end do
     !$omp end taskloop
  end do
  !$omp end single
  !$omp end parallel
  print *, sum(cell)
end program small
