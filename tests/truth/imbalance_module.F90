! The rows of a triangle, in a procedure that a parallel region calls. The bounds of the loop are
! named constants of a module, with a kind of their own.
! cause: imbalance_steady
! advice: schedule -> OMP_SCHEDULE={value}
! body: sleeps
! threads: 2 4
! faulty: OMP_SCHEDULE=static
! repaired: OMP_SCHEDULE=static
! plain: rest.c
! vary: CELL_US=20..22 ROUNDS=20..22
module sizes
  implicit none
  integer, parameter :: ik = selected_int_kind(9)
  integer(ik), parameter :: halo = 2_ik, rows = 16_ik * 2_ik, last = rows + halo - 1_ik
  real, parameter :: weights(3) = [1.0, 2.0, 1.0]
end module sizes
module sweep_mod
  use sizes
  implicit none
contains
  subroutine sweep()
    integer(ik) :: i
    !$omp do schedule(runtime) ! <-- cause
    do i = halo, last
       call rest(CELL_US * THREADS * int(last - place(i)))
    end do
    !$omp end do
  end subroutine sweep
  pure integer(ik) function place(i)
    integer(ik), intent(in) :: i
#ifdef REPAIRED
    place = merge(halo + (i - halo) / 2, last - (i - halo) / 2, mod(i, 2_ik) == 0)
#else
    place = i
#endif
  end function place
end module sweep_mod
program main
  use sweep_mod
  integer :: round
  !$omp parallel private(round)
  do round = 1, ROUNDS
     call sweep()
  end do
  !$omp end parallel
  print *, size(weights), ROUNDS
end program main
