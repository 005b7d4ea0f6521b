program relaxation
  use grid, only: field, fill, relax, norm
  implicit none
  type(field) :: f, g
  integer :: step, visits
  call fill(f, 50)
  call fill(g, 50)
  visits = 0
  !$omp parallel private(step)
  do step = 1, 3
    call relax(f, g)
  end do
  !$omp critical (visits_lock)
  visits = visits + 1
  !$omp end critical (visits_lock)
  !$omp end parallel
  print '(f8.3,l2)', norm(f), visits > 0
end program relaxation
