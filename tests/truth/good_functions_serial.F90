! One thread, and a function of a tenth of a microsecond: measuring it costs a lot.
! cause: none
! advice: none
! body: computes
! threads: 1
! instrument: --functions
! vary: CALLS=8200000..9400000 LENGTH=70..90
module small
  implicit none
contains
  integer(8) function chain(x)
    integer(8), intent(in) :: x
    integer :: k
    chain = x
    do k = 1, LENGTH
       chain = ieor(chain * 5_8 + k, ishft(chain, -7))
    end do
  end function chain
end module small

program calls
  use small
  implicit none
  integer(8) :: i, total
  total = 0
  !$omp parallel do reduction(ieor : total)
  do i = 1, CALLS
     total = ieor(total, chain(i))
  end do
  !$omp end parallel do
  print *, total
end program calls
