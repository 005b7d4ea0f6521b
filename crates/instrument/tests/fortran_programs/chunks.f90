! Iterations of worksharing loops, one by one.
program chunks
  implicit none
  integer :: i, j, s
  integer(8) :: k
  s = 0
  !$omp parallel do reduction(+:s) schedule(dynamic, 2)
  do i = 10, 1, -2
    if (i == 4) cycle
    s = s + i
  end do
  !$omp parallel reduction(+:s)
  !$omp do collapse(2)
  do i = 1, 3
    do j = 1, 4
      s = s + i*j
    end do
  end do
  !$omp end do nowait
  !$omp do schedule(static)
  do k = 1_8, 9_8, 2_8
    s = s + int(k)
  end do
  !$omp do simd
  do i = 1, 8
    s = s + i
  end do
  !$omp end parallel
  print *, s
end program chunks
