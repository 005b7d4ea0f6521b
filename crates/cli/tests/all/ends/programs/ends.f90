! Ends that only Fortran has.
program ends
  implicit none
  character(len=16) :: how
  integer :: i
  call get_command_argument(1, how)
!$omp parallel num_threads(2) private(i)
  do i = 1, 3
!$omp critical (work)
    continue
!$omp end critical (work)
  end do
!$omp end parallel
  select case (how)
  case ('stop')
    stop 5
  case ('error')
    error stop 6
  case ('region')
    call stop_in_region()
  end select
contains
  subroutine stop_in_region()
    use omp_lib, only: omp_get_thread_num
    integer :: j
!$omp parallel num_threads(2) private(j)
    do j = 1, 5 + 2 * omp_get_thread_num()
!$omp critical (inside)
      continue
!$omp end critical (inside)
    end do
!$omp barrier
    if (omp_get_thread_num() == 1) stop 7
!$omp barrier
!$omp end parallel
  end subroutine stop_in_region
end program ends
