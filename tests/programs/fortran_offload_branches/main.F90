! Sources for the host and for a device: a macro that nobody defines here puts code on the device,
! so that on the host everything in it is measured.
program main
  implicit none
  integer :: total
  total = 0
#ifdef DEVICE
  !$omp target map(tofrom: total)
#endif
  call add(total)
#ifdef DEVICE
  !$omp end target
  !$omp target map(tofrom: total)
#endif
  !$omp parallel
  !$omp critical
  total = total + 1
  !$omp end critical
  !$omp end parallel
#ifdef DEVICE
  !$omp end target
#endif
  print *, listed(2), total > 10
contains
  subroutine add(total)
    integer, intent(inout) :: total
    integer :: i
    !$omp parallel do reduction(+: total)
    do i = 1, 4
      total = total + i
    end do
    !$omp end parallel do
  end subroutine

  integer function listed(n)
    integer, intent(in) :: n
#ifdef DEVICE
    !$omp declare target
#endif
    integer :: i
    listed = 0
    !$omp parallel do reduction(+: listed)
    do i = 1, n
      listed = listed + i
    end do
    !$omp end parallel do
  end function
end program
