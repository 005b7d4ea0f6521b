C     What source instrumenters are known to fail on, in fixed form.
      PROGRAM TRAPS
      INTEGER I, J, N, ENDDO, A(4,4)
      N = 0
      ENDDO = 0
      A = 0
C$OMP PARALLEL
C$OMP+IF(N .LT. 5)
C$OMP+NUM_THREADS(2)
C$OMP DO PRIVATE(J)
      DO 10 I = 1, 4
      DO 10 J = 1, 4
   10 A(I,J) = I*J
C$OMP END PARALLEL
      DO 20 J = 1, 4
C$OMP PARALLEL DO
      DO 20 I = 1, 4
   20 A(I,J) = A(I,J) + 1
C$OMP P A R A L L E L D O R E D U C T I O N ( + : N )
      DO 30 I = 1, 4
      IF (A(I,1) .GT. 3) N = N + 1
   30 N = N + A(I,2)
C$OMP PARALLEL
C$OMP SINGLE
C$OMP TASK
C$OMP1UNTIED SHARED(ENDDO)
      ENDDO = 4
C$OMP END TASK
C$OMP TASKLOOP
      DO 40 I = 1, 4
   40 A(I,1) = A(I,1) + 1
C$OMP END SINGLE
C$OMP END PARALLEL
      PRINT *, 'A !$OMP PARALLEL', A, N, ENDDO
      END
