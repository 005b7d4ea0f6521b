! The newer constructs in Fortran, with and without END directives, orphaned ones in a module.
module work
  implicit none
  integer :: trail = 0
contains
  subroutine in_order(i)
    integer, intent(in) :: i
    !$omp ordered
    trail = 2 * trail + i
    !$omp end ordered
  end subroutine in_order

  subroutine by_tasks(n, total)
    integer, intent(in) :: n
    integer, intent(inout) :: total
    integer :: i, j
    !$omp taskgroup
    !$omp taskloop num_tasks(n) nogroup shared(total)
    do i = 1, 8
      if (mod(i, 2) == 0) cycle
      !$omp atomic
      total = total + i
    end do
    !$omp task shared(total)
    !$omp taskyield
    !$omp atomic
    total = total + 100
    !$omp end task
    !$omp end taskgroup
    !$omp taskloop collapse(2) num_tasks(3) shared(total)
    do j = 1, 3
      do i = 1, 4
        !$omp atomic update
        total = total + 1
        !$omp end atomic
      end do
    end do
    !$omp end taskloop
  end subroutine by_tasks
end module work

program constructs
  use omp_lib
  use work
  implicit none
  integer :: i, j, n, total, grid(0:4, 0:4), line(8), chosen(0:3)

  !$omp parallel do ordered schedule(static, 1)
  do i = 1, 4
    call in_order(i)
  end do

  grid = 1
  !$omp parallel do ordered(2) private(j)
  do i = 1, 4
    do j = 1, 4
      !$omp ordered depend(sink: i - 1, j) depend(sink: i, j - 1)
      grid(j, i) = grid(j - 1, i) + grid(j, i - 1)
      !$omp ordered depend(source)
    end do
  end do
  !$omp end parallel do

  total = 0
  call by_tasks(2, total)
  !$omp parallel num_threads(2)
  !$omp masked filter(1)
  call by_tasks(4, total)
  !$omp end masked
  !$omp end parallel

  n = 0
  chosen = 0
  !$omp parallel num_threads(4)
  !$omp scope reduction(+: n)
  n = n + 1
  !$omp end scope
  !$omp masked filter(n - 2)
  chosen(omp_get_thread_num()) = 1
  !$omp end masked
  !$omp flush
  !$omp scope
  !$omp critical
  chosen(3) = chosen(3) + 1
  !$omp end critical
  !$omp end scope nowait
  !$omp end parallel

  !$omp parallel masked taskloop num_tasks(2) num_threads(3) reduction(+: n)
  do i = 1, 6
    n = n + i
  end do

  line = 0
  !$omp target data map(tofrom: line)
  !$omp parallel
  !$omp loop
  do i = 1, 8
    line(i) = i
  end do
  !$omp end parallel
  !$omp target update to(line)
  !$omp target teams distribute parallel do map(tofrom: line)
  do i = 1, 8
    line(i) = line(i) + 1
  end do
  !$omp end target data

  !$omp teams num_teams(2) thread_limit(1)
  !$omp distribute
  do i = 1, 8
    line(i) = line(i) + 1
  end do
  !$omp end distribute
  !$omp end teams

  print *, trail, grid(4, 4), total, n, chosen, sum(line)
end program constructs
