! Part of collective_steady_below: the field.
module field
  implicit none
  integer :: me
contains
  subroutine advance()
    call flux()
    call move()
  end subroutine advance

  subroutine flux()
    call rest(UNIT_US)
  end subroutine flux

  subroutine move() ! <-- cause
#ifdef REPAIRED
    call rest(UNIT_US + 2 * UNIT_US / RANKS)
#else
    if (me == LATE) then
       call rest(3 * UNIT_US)
    else
       call rest(UNIT_US)
    end if
#endif
  end subroutine move
end module field
