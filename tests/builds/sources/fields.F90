module fields
  implicit none
#ifndef STEP
#error "STEP is defined by the build"
#endif
  integer, parameter :: step = STEP
contains
  integer function sum_of_field(n) result(total)
    integer, intent(in) :: n
    integer :: i
    total = 0
!$omp parallel do reduction(+ : total)
    do i = 0, n - 1, step
      total = total + i
    end do
  end function
end module
