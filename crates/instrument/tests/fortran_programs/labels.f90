! Labels of loops whose iterations get calls stay in use, or else compilers warn.
program labels
  implicit none
  integer :: i, j, s
  s = 0
  !$omp parallel
  !$omp single
  !$omp taskloop shared(s)
  do 10 i = 1, 9
    !$omp atomic
    s = s + i
  10 continue
  !$omp taskloop shared(s)
  do 20 i = 1, 9
    if (i == 4) goto 20
    do 15 j = 1, 3
      !$omp atomic
      s = s + i*j
  15 continue
  20 end do
  !$omp end single
  !$omp end parallel
  print *, s
end program
