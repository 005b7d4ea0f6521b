#define SCHED static
#define TEAM num_threads(2)
! Macros in clauses, omitted END directives, one-line and named constructs, BLOCK and ASSOCIATE.
program shapes
  use omp_lib
  implicit none (type, external)
  integer :: i, j, n, s, t
  character(len=*), parameter :: text = '!$omp parallel & "quoted"'
  n = 8; s = 0; t = 0
  !$omp parallel do reduction(+:s) schedule(SCHED) TEAM
  outer: do i = 1, n
    if (mod(i, 2) == 0) cycle outer
    do j = 1, n
      if (j > i) exit
      s = s + j
    end do
  end do outer
  !$omp parallel do private(j) collapse(2) reduction(+:t)
  do i = 1, 3; do j = 1, 3; t = t + i * j; end do; end do
  !$omp parallel if (n > 100)
  !$omp atomic update
  t = t + 1
  !$omp atomic
  t = t &
    & + 1
  !$omp endparallel
  associate (u => t)
    block
      integer :: k
      !$omp parallel do private(k) &
      !$omp & schedule(static) &

      !$omp   num_threads(3) ! a comment
      do k = 1, 6
        if (k > 3) then
          !$omp atomic
          u = u + 1
        end if
      end do
    end block
  end associate
  if (n == 8) then
    !$omp parallel TEAM
    block
      integer :: mine
      mine = omp_get_thread_num()
      !$omp critical
      if (mine >= 0) t = t + 1
      !$omp end critical
    end block
  end if
  call contained(n)
  print *, s, t, len(text)
contains
  subroutine contained(m)
    integer, intent(in) :: m
    integer :: a(4)
    !$omp parallel workshare
    a = m
    where (a > 3) a = a + 1
    !$omp end parallel workshare
    !$omp parallel sections TEAM
    !$omp section
    a(1) = 1
    !$omp section
    a(2) = 2
    !$omp end parallel sections
    t = t + sum(a)
    if (m > 0) return
    !$omp barrier
  end subroutine contained
end program shapes
