! Tasks of loops: each way to the end of an iteration, nested loops, combined forms.
program taskloops
  implicit none
  integer :: i, j, s, t
  s = 0
  t = 0
  !$omp parallel
  !$omp single
  !$omp taskloop grainsize(2) shared(s)
  outer: do i = 1, 20
    if (i == 3) cycle outer
    if (i > 15) then
      cycle
    end if
    do j = 1, 3
      if (j == 2) cycle
      if (i == 7) cycle outer
    end do
    !$omp atomic
    s = s + i
  end do outer
  !$omp end taskloop
  !$omp taskloop num_tasks(3) collapse(2) shared(t) private(j)
  do i = 1, 4
    do j = 1, 5; if (j == 2) cycle
      !$omp atomic
      t = t + i*j
    end do
  end do
  !$omp taskloop simd
  do i = 1, 4
    continue
  end do
  !$omp end single
  !$omp end parallel
  print *, s, t
  call combined(s)
  print *, s
contains
  subroutine combined(s)
    integer, intent(inout) :: s
    integer :: i
    !$omp parallel masked taskloop default(none) shared(s) num_tasks(4)
    do i = 1, 10
      !$omp atomic
      s = s + i
    end do
    !$omp parallel
    !$omp master taskloop if(s > 0) reduction(+:s)
    do i = 1, 10
      s = s + i
    end do
    !$omp end parallel
    !$omp parallel master taskloop simd shared(s)
    do i = 1, 10
    end do
  end subroutine combined
end program taskloops
