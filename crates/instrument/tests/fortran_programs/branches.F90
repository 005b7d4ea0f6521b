! Preprocessor branches around directives, clauses, declarations and loop headers; a macro in a
! clause keeps its case.
#define SCHED static, 2
#define TWICE(x) ((x) + (x))
program p
#ifdef NEVER
  use nowhere
  implicit none
  integer :: z
#else
  implicit none
  integer :: y
#endif
  integer :: i, s
  s = 0
#ifdef NEVER
  !$omp parallel do schedule(dynamic)
#else
  !$omp parallel do schedule(SCHED) num_threads(TWICE(1)) reduction(+: s)
#endif
  do i = 1, 4
    s = s + i
  end do
#ifndef NEVER
  !$omp parallel do reduction(+: s)
#endif
  do i = 1, 4
    s = s + i
  end do
#ifdef NEVER
  !$omp critical
#endif
  s = s + 1
#ifdef NEVER
  !$omp end critical
#endif
  !$omp parallel &
#ifdef NEVER
  !$omp private(z) &
#endif
  !$omp if(s > 0)
  !$omp atomic
#ifdef NEVER
  s = s + 2
#else
  s = s + 0
#endif
  !$omp end parallel
  !$omp parallel do private(y) &
#ifdef NEVER
  !$omp shared(s) &
#endif
  !$omp reduction(+: s)
#ifdef NEVER
  do i = 1, 8
#else
  do i = 1, &
     4
#endif
    y = i
    s = s + y
  end do
#if 0
  !$omp parallel
#endif
  print *, s, __LINE__, __FILE__ == ""
end program
