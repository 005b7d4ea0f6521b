program p
  use omp_lib
  implicit none
  integer :: i,j,k,s,t
  s=0
  t=0
  !$omp parallel do reduction(+:s) private(j,k)
  do 30 i=1,8
    do 30 j=1,3
      do 30 k=1,2
        s=s+1
30 end do
  !$omp parallel do collapse(2) reduction(+:t)
  do 40 i=1,4
    do 40 j=1,5
      t=t+1
40 enddo
  !$omp end parallel do
  !$omp parallel
  !$omp single
  !$omp taskloop collapse(2) num_tasks(3) shared(t)
  do 50 i=1,3
    do 50 j=1,4
      if (j == 2) goto 50
      !$omp atomic
      t=t+1
50 end do
  !$omp end single
  !$omp end parallel
  print *, s,t
end program p
