! The master creates tasks for each step and waits for them, although steps do not need each other,
! and the other threads wait at the end of the region.
! cause: taskwait_in_loop
! advice: none
! body: sleeps
! threads: 4
! plain: rest.c
! vary: UNIT_US=2500..3000 STEPS=70..80
program steps
  implicit none
  integer :: step, done(STEPS, 2), part
  done = 0
  !$omp parallel
  !$omp master
  do step = 1, STEPS
     do part = 1, 2
        !$omp task firstprivate(step, part)
        call rest(UNIT_US)
        done(step, part) = 1
        !$omp end task
     end do
#ifndef REPAIRED
     !$omp taskwait ! <-- cause
#endif
  end do
  !$omp end master
  !$omp end parallel
  print *, sum(done)
end program steps
