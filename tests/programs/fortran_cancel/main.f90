! Cancelled constructs: all that was begun ends, and the regions around go on.
program cancelled
  use omp_lib
  implicit none
  integer :: i, before, found, sections_run, tasks_run

  before = 0
  found = 0
  !$omp parallel num_threads(2)
  !$omp do schedule(static)
  do i = 1, 8
    !$omp critical
    before = before + 1
    !$omp end critical
    !$omp cancel do
    found = -1
  end do
  !$omp end do
  !$omp atomic
  before = before + 10
  !$omp end parallel

  !$omp parallel do num_threads(1)
  do i = 1, 10
    !$omp cancellation point do
    if (i == 4) then
      found = found + i
      !$omp cancel do if(i > 3)
    end if
  end do
  !$omp end parallel do

  sections_run = 0
  !$omp parallel sections num_threads(1)
  !$omp section
  sections_run = 1
  !$omp section
  !$omp cancel sections
  sections_run = 2
  !$omp section
  sections_run = 3
  !$omp end parallel sections

  tasks_run = 0
  !$omp parallel
  !$omp single
  !$omp taskgroup
  !$omp task shared(tasks_run) if(.false.)
  tasks_run = tasks_run + 1
  !$omp cancel taskgroup
  tasks_run = tasks_run + 10
  !$omp end task
  !$omp end taskgroup
  !$omp end single
  !$omp end parallel

  !$omp parallel num_threads(2)
  !$omp cancel parallel
  tasks_run = tasks_run + 100
  !$omp end parallel
  print *, before, found, sections_run, tasks_run
end program cancelled
