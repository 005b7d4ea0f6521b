! The only place that threads are bound to is one CPU.
! cause: one_cpu
! advice: binding -> OMP_PROC_BIND={value}
! body: computes
! threads: 2
! faulty: OMP_PLACES={0} OMP_PROC_BIND=true
! plain: rest.c
! vary: ROUNDS=60..66
program places
  implicit none
  integer :: round, i
  do round = 1, ROUNDS
     !$omp parallel do ! <-- cause
     do i = 1, 8
        call work(500)
     end do
     !$omp end parallel do
  end do
  print *, ROUNDS, 'rounds'
end program places
