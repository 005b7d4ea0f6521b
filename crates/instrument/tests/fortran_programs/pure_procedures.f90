! Pure and elemental procedures with events: compilers may neither refuse nor lose the calls.
module shapes
  implicit none
  interface
    elemental module function area(a, b) result(c)
      integer, intent(in) :: a, b
      integer :: c
    end function
  end interface
  type point
    integer :: x = 1
  contains
    procedure :: moved
  end type
contains
  pure recursive integer function depth(n) result(r)
    integer, intent(in) :: n
    if (n <= 0) then
      r = 0
      return
    end if
    r = depth(n - 1) + 1
  end function

  elemental subroutine twice(x, y)
    integer, intent(in) :: x
    integer, intent(out) :: y
    if (x > 7) goto 10
    y = 2 * x
    return
10  y = 0
  end subroutine

  elemental integer function moved(this, by)
    class(point), intent(in) :: this
    integer, intent(in) :: by
    moved = plus(this%x)
  contains
    pure integer function plus(x)
      integer, intent(in) :: x
      plus = x + by
    end function
  end function

  pure integer function length(n)
    integer, intent(in) :: n
    length = n + 2
  end function
end module

submodule (shapes) parts
contains
  module procedure area
    c = a * b
  end procedure
end submodule

pure subroutine enter(x)
  implicit none
  integer, intent(inout) :: x
  x = x + 1
  entry enter_late(x)
  x = x * 2
end subroutine

program main
  use shapes
  implicit none
  interface
    pure subroutine enter(x)
      integer, intent(inout) :: x
    end subroutine
    pure subroutine enter_late(x)
      integer, intent(inout) :: x
    end subroutine
  end interface
  integer :: i, s, a(10), b(10)
  type(point) :: p(10)
  s = 0
  a = [(i, i = 1, 10)]
  !$omp parallel do reduction(+: s)
  do i = 1, 10
    s = s + depth(i)
  end do
  call twice(a, b)
  where (b > 4) a = area(b, a)
  do concurrent (i = 1:10)
    b(i) = b(i) + p(i)%moved(i)
  end do
  call enter(s)
  call enter_late(s)
  print *, s, sum(a), sum(b), sized(3), p%moved(2)
contains
  integer function sized(n)
    integer, intent(in) :: n
    integer :: work(length(n))
    sized = size(work)
  end function
end program
