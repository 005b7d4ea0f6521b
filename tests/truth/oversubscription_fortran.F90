! Four threads for each of two CPUs, with a barrier after each small loop.
! cause: oversubscription
! advice: threads -> OMP_NUM_THREADS={value}
! body: computes
! threads: 8
! repaired: OMP_NUM_THREADS=2
! plain: rest.c
! vary: ROUNDS=8000..9000 ITEMS=8..12
program many
  implicit none
  integer :: round, i
  !$omp parallel private(round) ! <-- cause
  do round = 1, ROUNDS
     !$omp do
     do i = 1, ITEMS
        call work(2)
     end do
     !$omp end do
  end do
  !$omp end parallel
  print *, ROUNDS, 'rounds'
end program many
