! Every worksharing construct with the clauses that matter at its end; nested regions.
program p
  use omp_lib
  implicit none
  integer :: i, j, s, last, v, a(10), b(0:10)
  character(40) :: text
  s = 0; a = 0; b = 0; v = 0
  text = "!$omp parallel &
    &!$omp barrier"
  !$omp parallel default(none) shared(a, b, s, last, v, text) private(i, j)
  !$omp do reduction(+: s) lastprivate(last) schedule(dynamic, 2) & ! note
  !$omp& collapse(2)
  do i = 1, 5
    do j = 1, 2
      s = s + 1
      last = i * j
    end do
  end do
  !$omp do ordered
  outer: do i = 1, 4
    if (i == 2) cycle outer
    !$omp ordered
    a(i) = i
    !$omp end ordered
  end do outer
  !$omp end do nowait
  !$omp do ordered(1)
  do i = 1, 8
    !$omp ordered depend(sink: i-1)
    b(i) = b(i-1) + 1
    !$omp ordered depend(source)
  end do
  !$omp sections lastprivate(v)
  v = 1
  !$omp section
  v = 2
  !$omp section
  block
    v = 3
  end block
  !$omp end sections
  !$omp workshare
  a = a + 1
  where (a > 2) a = a * 2
  !$omp end workshare
  !$omp single
  i = 7
  !$omp end single copyprivate(i)
  !$omp single
  s = s + i
  !$omp end single
  !$omp barrier
  !$omp do simd
  do i = 1, 10
    a(i) = a(i) + 1
  end do; !$omp master
  !$omp master
  text = trim(text) // "!"
  !$omp end master
  !$omp end parallel
  print *, s, last, v, a, b(8), trim(text)
  s = 0
  !$omp parallel num_threads(2) default(none) shared(s)
  !$omp parallel num_threads(2) default(none) shared(s)
  !$omp atomic
  s = s + 1
  !$omp end parallel
  !$omp end parallel
  print *, s >= 2
end program
