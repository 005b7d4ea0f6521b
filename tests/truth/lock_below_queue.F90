! Part of lock_below: the queue.
module queue
  use omp_lib
  implicit none
  integer(omp_lock_kind) :: lock
  integer :: length = 0
contains
  subroutine open_queue()
    call omp_init_lock(lock)
  end subroutine open_queue

  subroutine produce()
    call push()
  end subroutine produce

  subroutine push() ! <-- cause
#ifdef REPAIRED
    call rest(UNIT_US)
#endif
    call omp_set_lock(lock)
#ifndef REPAIRED
    call rest(UNIT_US)
#endif
    length = length + 1
    call omp_unset_lock(lock)
  end subroutine push
end module queue
