! Each step forks for a short sweep over a field.
! cause: short_regions
! advice: merge -> -DMERGED
! body: computes
! threads: 2
! vary: STEPS=240000..260000 CELLS=150..250
program steps
  implicit none
  real(8) :: cell(CELLS)
  integer :: i, k
  cell = 0
#if defined(REPAIRED) || defined(MERGED)
  !$omp parallel private(k)
  do k = 1, STEPS
     !$omp do
     do i = 1, CELLS
        cell(i) = 0.5d0 * cell(i) + mod(k, 5)
     end do
     !$omp end do nowait
  end do
  !$omp end parallel
#else
  do k = 1, STEPS
     !$omp parallel do ! <-- cause
     do i = 1, CELLS
        cell(i) = 0.5d0 * cell(i) + mod(k, 5)
     end do
     !$omp end parallel do
  end do
#endif
  print '(f14.6)', cell(CELLS)
end program steps
