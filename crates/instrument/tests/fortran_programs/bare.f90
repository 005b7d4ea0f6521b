! An object for programs in C: of its own it needs nothing of the Fortran library.
subroutine work(a, n) bind(c)
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int), value :: n
  integer(c_int) :: a(n), i
  integer(c_int), target, save :: seen = 0
!$omp inst begin(foo, seen)
!$omp parallel
!$omp do schedule(static, 4)
  do i = 1, n
    a(i) = 2 * a(i)
  end do
!$omp single
!$omp task untied
  a(1) = 3
!$omp end task
!$omp taskloop
  do i = 2, n
    a(i) = a(i) + 1
  end do
!$omp end single
!$omp sections
!$omp section
  a(2) = 1
!$omp section
  a(3) = 1
!$omp end sections
!$omp critical (here)
  seen = seen + 1
!$omp end critical (here)
!$omp end parallel
!$omp inst end(foo, seen)
end subroutine
