! Places where directives stand: procedures of all kinds, constructs, labels, blocks without END.
module m
  implicit none
  interface
    module subroutine of_submodule(x)
      integer, intent(out) :: x
    end subroutine
  end interface
  interface generic
    module procedure one, two
  end interface
  type t
    integer :: program = 1
  contains
    procedure :: end => method
  end type
contains
  subroutine one(x)
    integer, intent(inout) :: x
    !$omp critical
    x = x + 1
    !$omp end critical
  end subroutine one
  subroutine two(x)
    real, intent(inout) :: x
    x = x + 1
  end subroutine
  subroutine method(self)
    class(t), intent(inout) :: self
    !$omp parallel if(.false.)
    self%program = self%program + 1
    !$omp end parallel
  end subroutine
  pure integer function sq(a)
    integer, intent(in) :: a
    integer :: i
    sq = 0
    !$omp simd reduction(+: sq)
    do i = 1, a
      sq = sq + a
    end do
  end function
end module

submodule (m) sub
contains
  module procedure of_submodule
    !$omp parallel num_threads(1)
    x = 1
    !$omp end parallel
  end procedure
end submodule

subroutine strict(x)
  implicit none (type, external)
  integer :: x
  !$omp parallel num_threads(2)
  !$omp barrier
  !$omp atomic
  x = x + 1
  !$omp end parallel
  !$omp parallel do
  do x = 1, 3
  end do
end subroutine

program p
  use m
  implicit none
  external :: strict
  integer :: x, i, if
  type(t) :: do
  x = 0; if = 1
  call of_submodule(x)
  call generic(x)
  associate (y => x)
  !$omp parallel num_threads(1)
  y = y + 1
  !$omp end parallel
  end associate
  !$omp parallel num_threads(1)
  block
    integer :: z
    z = 1
    x = x + z
  end block
  !$omp parallel num_threads(1)
  block
    !$omp single
    block
      x = x + 1
    end block
    !$omp taskgroup
    block
      !$omp task shared(x)
      block
        x = x + 1
      end block
    end block
  end block
  !$omp end parallel
  select case (x)
  case (1:)
    !$omp parallel do
    do 10 i = 1, 3
      if (i == 2) goto 10
      if (i == 3) cycle
10  continue
  case default
    !$omp barrier
  end select
  call do%end
  call inner
  print *, x, if, do%program, sq(3)
  x = 0
  call strict(x)
  print *, x >= 2
contains
  recursive subroutine inner
    !$omp parallel do
    do i = 1, 2; end do
    endless: do
      exit
    end do endless
  end subroutine
end program
