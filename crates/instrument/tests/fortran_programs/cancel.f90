! Cancelled loops and sections keep their implicit barrier.
program p
  implicit none
  integer :: i, n
  n = 0
  !$omp parallel num_threads(2)
  !$omp do
  do i = 1, 100
    if (i == 3) then
      !$omp cancel do
    end if
    !$omp cancellation point do
  end do
  !$omp single
  n = n + 1
  !$omp end single
  !$omp end parallel
  !$omp parallel do
  do i = 1, 100
    !$omp cancel do if(i > 50)
  end do
  !$omp end parallel do
  print *, n
end program
