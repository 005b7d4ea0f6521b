! Part of short_chunks_below: the grid.
module grid
  implicit none
  real(8) :: cell(CELLS) = 0
contains
  subroutine relax()
    call smooth(0.5d0)
  end subroutine relax

  subroutine smooth(weight)
    real(8), intent(in) :: weight
    integer :: i
    !$omp parallel do schedule(runtime) ! <-- cause
    do i = 1, CELLS
       cell(i) = weight * cell(i) + i
    end do
    !$omp end parallel do
  end subroutine smooth
end module grid
