! What source instrumenters are known to fail on, in free form.
#define SCHED static
#define Chunk 2
module shapes
  implicit none
  integer :: orphan_sum = 0
  interface
    module subroutine of_submodule(n)
      integer, intent(inout) :: n
    end subroutine
  end interface
contains
  pure integer function squared(i)
    integer, intent(in) :: i
    squared = i*i
  end function
  recursive integer function fib(n) result(f)
    integer, intent(in) :: n
    integer :: a, b
    if (n < 2) then
      f = n
      return
    end if
    !$omp task untied shared(a) if(n > 4)
    a = fib(n - 1)
    !$omp end task
    !$omp task shared(b) untied
    b = fib(n - 2)
    !$omp end task
    !$omp taskwait
    f = a + b
  end function
  subroutine orphan(n)
    integer, intent(in) :: n
    integer :: i
    !$omp do reduction(+:orphan_sum)
    do i = 1, n
      orphan_sum = orphan_sum + squared(i)
    end do
  end subroutine
  subroutine interface_flux(x, n)
    integer, intent(in) :: n
    integer, intent(inout) :: x(n)
    integer :: i, s, v
    s = 0
    !$omp parallel do simd &
    !$omp if(n > 1) &
    !$omp num_threads(2) schedule(SCHED, Chunk)
    do i = 1, n
      x(i) = x(i) + i
    end do
    !$omp parallel do order(concurrent)
    do i = 1, n
      x(i) = x(i) + 1
    end do
    !$omp parallel loop
    do i = 1, n
      x(i) = x(i) + 1
    end do
    !$omp parallel do reduction(inscan, +: s)
    do i = 1, n
      s = s + x(i)
      !$omp scan inclusive(s)
      x(i) = s
    end do
    do concurrent (i = 1:n)
      !$omp atomic
      x(i) = x(i) + 1
    end do
    !$omp parallel do ordered(1)
    do i = 2, n
      !$omp ordered depend(sink: i - 1)
      x(i) = x(i - 1) + 1
      !$omp ordered depend(source)
    end do
    v = 0
    !$omp parallel private(i) shared(v)
    !$omp atomic capture
    i = v
    v = v + 1
    !$omp end atomic
    !$omp end parallel
    x(1) = x(1) + min(v, 1)
  end subroutine
end module

submodule (shapes) inside
contains
  module procedure of_submodule
    !$omp parallel reduction(max: n)
    n = n + 1
    !$omp end parallel
  end procedure
end submodule

subroutine strict(pomp_p1, pomp_n)
  implicit none
  integer, intent(inout) :: pomp_p1, pomp_n
  integer :: i, mine
  !$omp parallel default(none) shared(pomp_p1, pomp_n)
  block
    integer :: mine
    mine = 1
    !$omp critical
    pomp_n = pomp_n + mine
    !$omp end critical
    !$omp single
    pomp_p1 = 0
    !$omp end single copyprivate(mine)
  end block
  associate (total => pomp_p1)
    mine = 0
    !$omp parallel do firstprivate(mine) lastprivate(mine) num_threads(1)
    do i = 1, 5
      mine = mine + i
      !$omp critical
      total = total + mine
      !$omp end critical
    end do
    if (mine == 0) return
  end associate
  pomp_n = min(pomp_n, 1)
end subroutine

integer :: x(8), n, i, a, b
character(60) :: text
x = 0
n = 0
a = 0
b = 0
text = 'an & and !$omp parallel "it''s" &
       &!$omp barrier'
print *, text
call check
contains
  subroutine check
    use shapes, only: fib, interface_flux, of_submodule, orphan, orphan_sum
    external :: strict
    call interface_flux(x, 8)
    print *, x
    call of_submodule(n)
    print *, n
    call strict(a, b)
    print *, a, b
    !$omp parallel
    call orphan(10)
    !$omp sections
    !$omp atomic
    n = n + 1
    !$omp section
    !$omp atomic
    n = n + 1
    !$omp end sections
    !$omp single
    n = n + fib(9)
    !$omp end single
    !$omp masked
    if (n > 0) n = n + 1
    !$omp end masked
    !$omp end parallel
    print *, n, orphan_sum
    n = 0
    !$omp parallel master taskloop reduction(+: n) if(taskloop: x(1) > 0)
    do i = 1, 8
      n = n + i
    end do
    !$omp parallel masked
    n = n + 1
    !$omp end parallel masked
    !$omp target map(tofrom: n)
    n = n + 1
    !$omp end target
    !$omp teams num_teams(1)
    n = n + 1
    !$omp end teams
    print *, n
  end subroutine
end
