! Combined constructs: clauses go where they belong under every default.
program p
  implicit none
  integer :: i, n, s, x, y, z, a(8)
  logical :: big
  n = 8; s = 0; x = 1; y = 0; z = 0; a = 0; big = .true.
  !$omp parallel do default(none) shared(a, n) if(parallel: n > 2) num_threads(3) &
  !$omp   firstprivate(x) lastprivate(x) reduction(+: s), schedule(static, &
  !$omp & 2)
  do i = 1, n
    s = s + x; a(i) = i
    if (i == n) x = 99
  end do
  print *, s, x, a
  !$omp parallel do simd default(none) shared(a, n, big) if(big) simdlen(4)
  do i = 1, n
    a(i) = a(i) + 1
  end do
  !$omp end parallel do simd
  !$omp paralleldo default(private) shared(a) firstprivate(n) collapse(1)
  do i = 1, n; a(i) = a(i) + 1; end do; print *, a
  !$omp parallel sections default(none) lastprivate(y) shared(z)
  !$omp section
  y = 1
  !$omp section
  y = 2; z = 3
  !$omp end parallel sections
  print *, y, z
  !$omp parallel workshare
  a = a + 1
  !$omp end parallel workshare
  !$omp parallel master default(none) shared(s)
  s = s + 1
  !$omp end parallel master
  print *, a, s
  !$omp parallel do reduction(inscan, +: s)
  do i = 1, n
    s = s + i
    !$omp scan inclusive(s)
    a(i) = s
  end do
  print *, s, a
end program
