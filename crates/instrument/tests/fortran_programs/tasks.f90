! Recursive, untied, nested, undeferred and dependent tasks, also under default(none).
module work
  implicit none
  type counter
    integer :: n
  contains
    procedure :: count
  end type
  integer :: last = 2
contains
  recursive function fib(n) result(r)
    integer, intent(in) :: n
    integer :: r, a, b
    if (n < 2) then
      r = n; return
    end if
    !$omp task default(none) shared(a) firstprivate(n) if(n > 4)
    a = fib(n-1)
    !$omp end task
    !$omp task shared(b) firstprivate(n) final(n < 4) mergeable
    b = fib(n-2)
    !$omp end task
    !$omp taskwait
    r = a + b
  end function

  subroutine untied_tasks(total)
    integer, intent(inout) :: total
    integer :: i
    do i = 1, 20
      !$omp task untied default(none) shared(total)
      !$omp task untied shared(total)
      !$omp atomic
      total = total + 1
      !$omp end task
      !$omp taskyield
      !$omp taskwait
      !$omp taskgroup
      !$omp task shared(total)
      !$omp atomic update
      total = total + 1
      !$omp end atomic
      !$omp end task
      !$omp end taskgroup
      !$omp end task
    end do
  end subroutine
  ! Each column comes after the one before. The items have all forms: some of them are empty, some
  ! lie in memory with gaps, and a type has a procedure.
  subroutine columns(matrix, part, n)
    integer, intent(in) :: n
    integer :: matrix(n,0:n), part(:,:), i
    integer, allocatable :: other(:,:)
    type(counter) :: counters(2)
    allocate(other(n,2))
    do i = 1, n
      !$omp task depend(in: matrix(:,i-1), part(i,1), part(1:i,1:2), part(:,2), part, i) &
      !$omp& depend(inout: matrix(:,i), matrix(last:1,1:n), other(1:i,1:2), other(:,1), other) &
      !$omp& depend(in: counters(1), last) shared(matrix)
      matrix(:,i) = matrix(:,i-1) + part(:,1)
      !$omp end task
    end do
    !$omp taskwait
  end subroutine
  subroutine count(self)
    class(counter) :: self
    self%n = self%n + 1
  end subroutine
end module

program p
  use work
  implicit none
  integer :: f, total, x, i, wide(8,2), chain(4,0:4)
  total = 0
  !$omp parallel default(none) shared(f, total)
  !$omp single
  f = fib(12)
  call untied_tasks(total)
  !$omp end single
  !$omp end parallel
  print *, f, total
  x = 0
  !$omp parallel
  !$omp master
  !$omp task depend(out: x) shared(x)
  x = 1
  !$omp end task
  !$omp task depend(inout: x) shared(x)
  x = x + 1
  !$omp end task
  !$omp taskwait depend(in: x)
  !$omp target nowait depend(inout: x) map(tofrom: x)
  x = x + 10
  !$omp end target
  !$omp target update to(x) depend(in: x, wide)
  !$omp taskloop shared(total) private(i) num_tasks(4)
  do i = 1, 8
    !$omp task shared(total)
    !$omp critical
    total = total + 1
    !$omp end critical
    !$omp end task
  end do
  !$omp end taskloop
  !$omp end master
  !$omp end parallel
  print *, x, total
  wide = 2
  chain = 0
  !$omp parallel
  !$omp single
  call columns(chain, wide(1:8:2,:), 4)
  !$omp end single
  !$omp end parallel
  print *, chain
end program
