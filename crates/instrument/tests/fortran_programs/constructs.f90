! Every construct beyond the worksharing ones: ordered with a body and between iterations, flush,
! taskgroup, taskyield, masked, scope, loop, teams, distribute, target with its data directives.
program constructs
  use omp_lib, only : omp_get_thread_num
  implicit none
  integer :: i, j, s, a(0:8), b(8)
  a = 0
  s = 0
  !$omp parallel do ordered
  do i = 1, 8
    !$omp ordered
    s = 2*s + i
    !$omp end ordered
  end do
  print *, s
  !$omp parallel do ordered(1)
  do i = 1, 8
    !$omp ordered depend(sink:i-1)
    a(i) = a(i-1) + 1
    !$omp flush
    !$omp flush(s)
    !$omp ordered depend(source)
  end do
  print *, a(8)
  s = 0
  !$omp parallel
  !$omp masked
  !$omp taskgroup
  !$omp task shared(s)
  !$omp taskyield
  !$omp atomic
  s = s + 1
  !$omp end task
  !$omp end taskgroup
  s = 2*s
  !$omp endmasked
  !$omp barrier
  !$omp masked filter(1)
  continue
  !$omp end masked
  !$omp scope reduction(+:s)
  s = s + omp_get_thread_num()*0
  !$omp end scope
  !$omp scope
  block
    integer :: k
    k = 1
  end block
  !$omp loop
  do i = 1, 8
    b(i) = i
  end do
  !$omp end parallel
  print *, s, b(8)
  !$omp parallel masked
  s = s + 1
  !$omp end parallel masked
  !$omp parallel loop
  do i = 1, 8
    b(i) = 2*i
  end do
  !$omp teams num_teams(1)
  !$omp distribute
  do i = 1, 8
    b(i) = b(i) + 1
  end do
  !$omp end teams
  !$omp teams distribute parallel do private(j) num_teams(2)
  do i = 1, 8
    do j = 1, 2
      b(i) = b(i) + 1
    end do
  end do
  !$omp target data map(tofrom:b)
  !$omp target map(tofrom:b)
  b(1) = b(1) + 1
  !$omp end target
  !$omp target update to(b)
  !$omp target teams distribute parallel do map(tofrom:b)
  do i = 1, 8
    b(i) = b(i) + 1
  end do
  !$omp end target data
  !$omp target enter data map(to:b)
  !$omp target exit data map(from:b)
  print *, s, b
  !$omp parallel do simd
  do i = 1, 8
    b(i) = b(i) + 1
  end do
  !$omp simd
  do i = 1, 8
    b(i) = b(i) + 1
  end do
  print *, sum(b)
end program constructs
