! Procedures that only code for devices calls are compiled for devices, too: nothing may be called
! in them. Those that the host calls as well are its own.
module fields
  implicit none
  private
  public :: advance, offered
contains
  subroutine advance(x, n)
    integer, intent(in) :: n
    real, intent(inout) :: x(n)
    integer :: i
    !$omp target teams distribute map(tofrom: x)
    do i = 1, n
      call kernel(x, i)
    end do
    !$omp end target teams distribute
    x(1) = x(1) + shared_one(x(2))
  end subroutine

  subroutine kernel(x, i)
    integer, intent(in) :: i
    real, intent(inout) :: x(:)
    x(i) = flux(x(i)) + shared_one(x(i))
    !$omp atomic
    x(i) = x(i) + 1
  end subroutine

  real function flux(a)
    real, intent(in) :: a
    flux = 2 * a
    if (flux < 0) flux = limited(flux)
  contains
    real function limited(b)
      real, intent(in) :: b
      limited = max(b, 0.0)
    end function
  end function

  real function shared_one(a)
    real, intent(in) :: a
    shared_one = a + declared(a)
  end function

  real function declared(a)
    !$omp declare target
    real, intent(in) :: a
    declared = helper(a)
  end function

  real function helper(a)
    real, intent(in) :: a
    helper = a / 2
  end function

  subroutine offered(a)
    real, intent(inout) :: a
    a = a + 1
  end subroutine
end module

program main
  use fields
  implicit none
  real :: x(8), y
  external :: fixed
  x = 1
  call advance(x, 8)
  y = 0
  !$omp target map(tofrom: y)
  call offered(y)
  !$omp end target
  call fixed(x, 8)
  print '(9f8.3)', x, y
end program
