! Procedures in Fortran, free form: every way out, and what stands before the actions.
module work
  implicit none
  integer :: counter = 0
  interface
    subroutine fixed(i, k)
      integer :: i, k
    end subroutine
  end interface
contains
  subroutine early(x, n)
    integer, intent(inout) :: x
    integer :: n
    if (n > 3) return
    if (n > 2) &
      return ! the action is on a line of its own
    x = x + n; if (n == 1) return; x = x + 1
    if (n == 0) goto 10
    call inner(x)
    return
10  x = x - 1
  contains
    subroutine inner(y)
      integer :: y
      y = y + 100
    end subroutine inner
  end subroutine early
  pure integer function next_one(x)
    integer, intent(in) :: x
    next_one = x + 1
  end function
  recursive integer function factorial(n) result(r)
    integer :: n
    real :: half, a
    half(a) = a / 2
    if (n <= 1) then
      r = 1; return
    end if
    r = n * factorial(n - 1) + int(half(1.0))
  end function factorial
  subroutine alternate(n, *, *)
    integer :: n
    if (n == 1) return 1
    if (n == 2) goto 99
    found: block
      integer :: q
      q = n
      if (q == 5) return
    end block found
    return 2
99 end subroutine
end module

subroutine entered(x)
  integer :: x
  x = 1
  if (x > 5) return
  entry halfway(x)
  x = x + 10
  if (x > 15) return
  entry atend(x)
  x = x + 100
end

program main
  use work
  implicit none
  integer :: i, k
  k = 0
  do i = 0, 4
    call early(k, i)
    print *, k, next_one(k), factorial(i)
    call alternate(i, *20, *30)
    print *, 'normal'
    cycle
20  print *, 'one'
    cycle
30  print *, 'two'
  end do
  i = 0
  call entered(i); print *, i
  i = 1
  call halfway(i); print *, i
  i = 7
  call halfway(i); print *, i
  call atend(i); print *, i
  !$omp parallel do reduction(+:counter)
  do i = 1, 8
    counter = counter + factorial(3)
  end do
  print *, counter
  k = 0
  do i = 1, 5
    call fixed(i, k)
  end do
  print *, k
  if (counter == 48) stop 3
  print *, 'never'
end program
