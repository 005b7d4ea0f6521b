! Part of imbalance_steady_below: what it calls.
module mesh
  use omp_lib
  implicit none
contains
  subroutine step()
    call gather()
    call assemble()
  end subroutine step

  subroutine gather()
    call rest(UNIT_US)
  end subroutine gather

  subroutine assemble() ! <-- cause
#ifdef REPAIRED
    call rest(UNIT_US + 3 * UNIT_US / THREADS)
#else
    if (omp_get_thread_num() == LATE) then
       call rest(4 * UNIT_US)
    else
       call rest(UNIT_US)
    end if
#endif
  end subroutine assemble

  subroutine solve()
    call rest(2 * UNIT_US)
  end subroutine solve
end module mesh
