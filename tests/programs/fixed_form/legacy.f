C     Three sentinels, continued directives, labels that end loops.
      PROGRAM LEGACY
      INTEGER I, J, K, ISUM, JSUM, KSUM
      REAL A(10,10)
      COMMON /BLK/ K
C$OMP THREADPRIVATE(/BLK/)
      ISUM = 0
      JSUM = 0
      KSUM = 0
C$OMP PARALLEL DO DEFAULT(SHARED)
C$OMP+PRIVATE(I,J)
C$OMP+SCHEDULE(STATIC)
      DO 20 J = 1, 10
      DO 10 I = 1, 10
      A(I,J) = I + J
   10 CONTINUE
   20 CONTINUE
*$OMP PARALLEL PRIVATE(I, J) NUM_THREADS(2)
!$OMP DO REDUCTION(+:ISUM)
      DO 30 J = 1, 10
      DO 30 I = 1, 10
   30 ISUM = ISUM + INT(A(I,J))
c$omp end do nowait
      K = 1
!$OMP SINGLE
      PRINT *, 'C$OMP BARRIER ! in a string'
!$OMP ENDSINGLE
!$OMP CRITICAL(LOCK)
      IF (K .EQ. 1) JSUM = JSUM
     1    + K
!$OMP END CRITICAL(LOCK)
C$    K = K + 1
!$OMP MASTER
      K = 3
!$OMP END MASTER
!$OMP ATOMIC
      KSUM = KSUM +
     &       1
*$OMP BARRIER
!$OMP ENDPARALLEL
      PRINT *, ISUM, JSUM, KSUM
      CALL SECTS
      END

      SUBROUTINE SECTS
      INTEGER M, N
      M = 0
      N = 0
!$OMP PARALLEL SECTIONS
      M = 1
!$OMP SECTION
      N = 2
!$OMP END PARALLEL SECTIONS
      PRINT *, M, N
      END
