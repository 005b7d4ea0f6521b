integer(c_int) function fortran_sum(n) bind(c)
  use, intrinsic :: iso_c_binding, only : c_int
  use fields
  implicit none
  integer(c_int), value :: n
  fortran_sum = sum_of_field(n)
end function
