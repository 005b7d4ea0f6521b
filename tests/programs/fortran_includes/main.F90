#define SCHED static
! Directives in included text: by the preprocessor and by the INCLUDE line.
program main
  implicit none
  integer :: i, n, s
  n = 8
  s = 0
  !$omp parallel num_threads(2) reduction(+:s)
#include "macro_row.inc"
  include 'row.inc'
  !$omp end parallel
  print *, s
end program main
