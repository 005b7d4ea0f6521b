module tasks
  implicit none
contains
  recursive function fib(n) result(r)
    integer, intent(in) :: n
    integer :: r, a, b
    r = n
    if (n < 2) return
    !$omp task default(none) shared(a) firstprivate(n) if(n > 3)
    a = fib(n - 1)
    !$omp end task
    !$omp task default(none) shared(b) firstprivate(n) &
    !$omp& final(n <= 3) untied
    b = fib(n - 2)
    !$omp end task
    !$omp taskwait
    r = a + b
  end function fib
end module tasks

program main
  use tasks
  implicit none
  integer :: i, total, number
  total = 0
  !$omp parallel
  !$omp single
  do i = 1, 4
    !$omp task shared(total)
      block
        integer :: part
        part = i
        !$omp atomic
        total = total + part
      end block
    !$omp end task
  end do
  !$omp taskwait
  number = fib(7)
  print *, total, number
  !$omp end single nowait
  !$omp end parallel
end program main
