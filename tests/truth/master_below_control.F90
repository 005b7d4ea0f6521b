! Part of master_below: what looks after the run.
module control
  implicit none
contains
  subroutine check()
    call adapt()
  end subroutine check

  subroutine adapt()
#ifdef REPAIRED
    call rest(UNIT_US / THREADS)
#else
    !$omp master ! <-- cause
    call rest(UNIT_US)
    !$omp end master
#endif
  end subroutine adapt
end module control
