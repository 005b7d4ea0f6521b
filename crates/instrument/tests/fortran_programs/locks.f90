! Locks under the names of the POMP paper.
program locks
  use omp_lib, only : omp_lock_kind, omp_init_lock, omp_set_lock, omp_unset_lock, omp_test_lock, &
    omp_destroy_lock
  implicit none
  integer(omp_lock_kind) :: l
  integer :: s
  s = 0
  call omp_init_lock(l)
  !$omp parallel
  call omp_set_lock(l); s = s + 1; call omp_unset_lock(l)
  do
    if (omp_test_lock(l)) exit
  end do
  s = s + 1
  call omp_unset_lock(l)
  !$omp end parallel
  print *, 'omp_set_lock', s
  call last()
contains
  subroutine last()
    call omp_destroy_lock(l)
  end subroutine last
end program locks
