! Balanced, with functions of about a tenth of a microsecond: measuring them costs a lot.
! cause: none
! advice: none
! body: computes
! threads: 2
! instrument: --functions
! vary: CALLS=4000000..4500000
module small
  implicit none
contains
  integer function rotate(x)
    integer, intent(in) :: x
    integer :: k
    rotate = x
    do k = 1, 40
       rotate = mod(5 * rotate + k, 1009)
    end do
  end function rotate
end module small

program calls
  use small
  implicit none
  integer :: i, total
  total = 0
  !$omp parallel do reduction(+ : total)
  do i = 1, CALLS
     total = total + rotate(mod(i, 1000))
  end do
  !$omp end parallel do
  print *, total
end program calls
