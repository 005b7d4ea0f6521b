! Tasks that are complete when their events are fulfilled: before their bodies begin, inside of
! them, and by another task; the last ones in fixed form.
program detached
  use omp_lib
  implicit none
  integer(omp_event_handle_kind) :: before, inside
  integer :: done
  done = 0
  !$omp parallel num_threads(2)
  !$omp single
  !$omp task default(none) detach(before) shared(done)
  !$omp atomic
  done = done + 1
  !$omp end task
  call omp_fulfill_event(before)
  !$omp task detach(inside) shared(done)
  !$omp atomic
  done = done + 1
  call omp_fulfill_event(inside)
  !$omp end task
  call other(done)
  !$omp taskwait
  !$omp end single
  !$omp end parallel
  print '(i0)', done
end program
