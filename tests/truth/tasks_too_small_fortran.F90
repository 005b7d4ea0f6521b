! One task for each cell of a list, created while the list is walked.
! cause: tasks_too_small
! advice: cutoff -> -DCUTOFF={value}
! body: computes
! threads: 2
! vary: ROUNDS=14..16
#ifndef CUTOFF
#ifdef REPAIRED
#define CUTOFF 1000
#else
#define CUTOFF 1
#endif
#endif
program cells
  implicit none
  integer, parameter :: number = 100000
  integer :: state(number), first, last, i, k, round
  state = 0
  !$omp parallel
  !$omp single
  do round = 1, ROUNDS
     first = 1
     do while (first <= number)
        last = min(first + CUTOFF - 1, number)
        !$omp task firstprivate(first, last) private(i, k) ! <-- cause
        do i = first, last
           do k = 1, 30
              state(i) = mod(7 * state(i) + i + k, 1009)
           end do
        end do
        !$omp end task
        first = last + 1
     end do
     !$omp taskwait
  end do
  !$omp end single
  !$omp end parallel
  print *, sum(state)
end program cells
