! A taskloop with twelve tasks per thread.
! cause: none
! advice: none
! body: computes
! threads: 2
! plain: rest.c
! vary: ROUNDS=45..50
program good
  implicit none
  integer :: i, round
  !$omp parallel
  !$omp single
  do round = 1, ROUNDS
     !$omp taskloop num_tasks(24)
     do i = 1, 480
        call work(40)
     end do
     !$omp end taskloop
  end do
  !$omp end single
  !$omp end parallel
  print *, ROUNDS
end program good
