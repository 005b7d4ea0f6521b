! The directives of the measurement itself, and a name of ours that the user has taken.
program p
  implicit none
  integer :: pomp_p1, i
  !$pomp inst init
  pomp_p1 = 1
  !$pomp inst begin(first)
  do i = 1, 3
    !POMP$ INST BEGIN(second)
    if (i == 2) then
      !$pomp inst altend(second)
      cycle
    end if
    !$pomp inst end(second)
  end do
  !$pomp inst end(first)
  !$pomp inst off
  !$pomp noinstrument
  !$omp parallel
  !$omp end parallel
  !$pomp instrument
  !$pomp inst on
  !$omp parallel num_threads(1)
  pomp_p1 = pomp_p1 + 1
  !$omp end parallel
  print *, pomp_p1
  !$pomp inst finalize
end program
