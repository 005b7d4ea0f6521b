! Loops that compute, balanced, in one parallel region.
! cause: none
! advice: none
! body: computes
! threads: 2
! plain: rest.c
! vary: ROUNDS=34..38
program loops
  implicit none
  integer :: round, i
  !$omp parallel private(round)
  do round = 1, ROUNDS
     !$omp do schedule(dynamic, 1)
     do i = 1, 50
        call work(400)
     end do
     !$omp end do
  end do
  !$omp end parallel
  print *, ROUNDS, 'rounds'
end program loops
