! The loop with the short chunks is two calls below, in short_chunks_below_smooth.F90.
! cause: short_chunks
! advice: schedule -> OMP_SCHEDULE={value}
! body: computes
! threads: 2
! faulty: OMP_SCHEDULE=dynamic,1
! repaired: OMP_SCHEDULE=static
! with: short_chunks_below_smooth.F90
! vary: ROUNDS=40..44 CELLS=200000..220000
program below
  use grid
  implicit none
  integer :: k
  do k = 1, ROUNDS
     call relax()
  end do
  print '(f12.6)', cell(CELLS)
end program below
