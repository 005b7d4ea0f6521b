C     Clauses that name common blocks, sequence numbers behind column 72, tabs, old sentinels.
      program p
      common /shared/ a, b
      common /mine/ k
c$omp threadprivate(/mine/)
      integer s
      a = 1
      b = 2
      s = 0
      k = 5
C$OMP PARALLEL COPYIN(/mine/) DEFAULT(SHARED)                           00000010
C$OMP+ REDUCTION(+:s)
      s = s + k
C$OMP END PARALLEL
!$omp parallel
*$omp do private(/shared/)
	do 20 i=1,4
	  a = i
20	continue
!$omp enddo
!$OMP CRITICAL(na
!$OMP&me)
!$    b = b
!$   &  + 0
!$OMP ENDCRITICAL(name)
!$omp end parallel
      print *, mod(s,5), a, b
      call shares
      end

      subroutine shares
      integer s
      s = 0
!$OMP PARALLELDO REDUCTION(+:s) PRIVATE(j), SCHEDULE(STATIC,
!$OMP+1)
      do 10 i=1,3
      do 10 j=1,3
   10 s = s + 1
      print *, s
!$omp parallel do
      do 30 i=1,3
c       The inner loop has no end of its own.
      do 30 j=1,3
      if (i.eq.j) s = s
   30 continue
      end
