! Locks under the names of the POMP paper.
program locks
  use omp_lib, only : omp_lock_kind, omp_init_lock, omp_set_lock, omp_unset_lock, omp_test_lock, &
    omp_destroy_lock, omp_nest_lock_kind, omp_init_nest_lock, omp_set_nest_lock, &
    omp_unset_nest_lock, omp_test_nest_lock, omp_destroy_nest_lock
  implicit none
  integer(omp_lock_kind) :: l
  integer(omp_nest_lock_kind) :: around(4)
  integer :: s, depth
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
  around = 77
  call omp_init_nest_lock(around(2))
  depth = 0
  !$omp parallel reduction(max: depth)
  call omp_set_nest_lock(around(2))
  depth = omp_test_nest_lock(around(2))
  s = s + 1
  call omp_unset_nest_lock(around(2))
  call omp_unset_nest_lock(around(2))
  !$omp end parallel
  call omp_destroy_nest_lock(around(2))
  print *, s, depth, around(1), around(4)
contains
  subroutine last()
    call omp_destroy_lock(l)
  end subroutine last
end program locks
