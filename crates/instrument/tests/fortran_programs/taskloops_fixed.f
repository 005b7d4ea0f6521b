C     Tasks of loops whose last statement has a label that GOTO reaches.
      program fixed
      integer i, j, s
      s = 0
C$OMP PARALLEL
*$OMP SINGLE
!$OMP TASKLOOP NUM_TASKS(2) SHARED(S)
!$OMP+ PRIVATE(J)
      D O 10, I = 1, 9
      IF (I .EQ. 4) GO TO 10
      IF (I .EQ. 5) CYCLE
      DO 10 J = 1, 2
C$OMP ATOMIC
      S = S + I*J
   10 CONTINUE
!$OMP TASKLOOP SHARED(S)
      DO 20 I = 1, 9
      IF (I .EQ. 4) GOTO 20
C$OMP ATOMIC
      S = S + 1
 20   END DO
!$OMP ENDSINGLE
!$OMP ENDPARALLEL
      PRINT *, S
      END
