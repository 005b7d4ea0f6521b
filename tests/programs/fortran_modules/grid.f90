module grid
  implicit none
  private
  public :: field, fill, relax, norm
  type field
    integer :: n = 0
    real, allocatable :: v(:)
  end type
contains
  subroutine fill(f, n)
    type(field), intent(out) :: f
    integer, intent(in) :: n
    integer :: i
    f%n = n
    allocate (f%v(n))
    !$omp parallel do default(none) shared(f) private(i) schedule(static)
    do i = 1, f%n
      f%v(i) = mod(i, 5)
    end do
  end subroutine fill

  ! Orphaned: called by all threads of a team.
  subroutine relax(f, g)
    type(field), intent(inout) :: f, g
    integer :: i
    !$omp do
    do i = 2, f%n - 1
      g%v(i) = 0.25 * (f%v(i - 1) + 2 * f%v(i) + f%v(i + 1))
    end do
    !$omp end do
    !$omp workshare
    f%v(2:f%n - 1) = g%v(2:f%n - 1)
    !$omp end workshare nowait
    !$omp barrier
  end subroutine relax

  function norm(f) result(total)
    type(field), intent(in) :: f
    real :: total
    integer :: i
    total = 0
    !$omp parallel do reduction(+:total)
    do i = 1, f%n
      total = total + f%v(i)
    end do
    !$omp end parallel do
  end function norm
end module grid
