! Chunks of loops that count with integers of 16 bytes, which no routine of ours takes.
program chunks_wide
  implicit none
  integer, parameter :: wide = selected_int_kind(30)
  integer(16) :: i, step
  integer(kind=wide) :: j
  integer :: total
  total = 0
  step = 3
  !$omp parallel do schedule(dynamic, 2) reduction(+:total)
  do i = 1_16, 20_16, step
    total = total + int(i)
  end do
  !$omp parallel do reduction(+:total)
  do j = 5, 1, -1
    total = total + int(j)
  end do
  print '(a,i0)', 'total ', total
end program
