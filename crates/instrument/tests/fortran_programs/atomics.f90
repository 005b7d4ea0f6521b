! All forms of atomic, with and without END.
integer :: x, v, w
x = 0; w = 0
!$omp parallel private(v) num_threads(2)
!$omp atomic
x = x + 1; v = 0
!$omp atomic read
v = x
!$omp end atomic
!$omp atomic write seq_cst
w = 5
!$omp atomic capture
v = x
x = x &
  + 1
!$omp end atomic
!$omp atomic update hint(0)
!$ x = x + 1
!$omp atomic capture
v = x; x = x + 1
!$omp end atomic
!$omp end parallel
print *, x, w
end
