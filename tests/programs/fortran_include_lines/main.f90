! Directives in files that INCLUDE lines name, in free and in fixed form, one inside another, and
! one that is included twice.
program main
  implicit none
  integer :: i, s, legacy
  external :: legacy
  s = 0
  !$omp parallel num_threads(2)
  include 'loop.inc'
  !$omp barrier
  include "loop.inc"
  !$omp end parallel
  print *, s, legacy(3)
end program main
