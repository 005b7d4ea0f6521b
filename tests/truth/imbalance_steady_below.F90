! One thread's part of the mesh takes longer to assemble. All threads wait after `solve`, which is
! balanced; what is late is two calls below, in imbalance_steady_below_mesh.F90.
! cause: imbalance_steady
! advice: none
! body: sleeps
! threads: 3 4
! instrument: --functions
! with: imbalance_steady_below_mesh.F90
! plain: rest.c
! vary: LATE=thread UNIT_US=2500..3500 ROUNDS=18..20 ORDER=0..1
program below
  use mesh
  implicit none
  integer :: round
  !$omp parallel private(round)
  do round = 1, ROUNDS
#if ORDER
     call solve()
     call step()
#else
     call step()
     call solve()
#endif
     !$omp barrier
  end do
  !$omp end parallel
  print *, ROUNDS, 'rounds'
end program below
