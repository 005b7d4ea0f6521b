! Names without declaration, a function that only has a type, a statement function, formats and
! labels outside of the region: all of them change meaning inside a BLOCK.
subroutine work(n, total)
  logical even
  plus(x) = x + 1
  total = 0
!$omp parallel do private(y) reduction(+:total)
  do i = 1, n
    y = plus(real(i))
    if (even(i)) total = total + y
  end do
!$omp parallel
!$omp single
  z = 3
  write (*, 100) z
!$omp end single
!$omp end parallel
  total = total + z
100 format(f6.2)
end

logical function even(i)
  even = mod(i, 2) == 0
end

program p
  call work(10, t)
  write (*, 100) t
100 format(f6.2)
end
