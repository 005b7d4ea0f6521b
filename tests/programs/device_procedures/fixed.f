C     The same where blanks mean nothing.
      SUBROUTINE FIXED(X, N)
      INTEGER N, I
      REAL X(N), FDEV, FHOST
      EXTERNAL FDEV
C$OMP TAR GET MAP(TOFROM: X)
      DO 10 I = 1, N
      IF (X(I) .GT. 0) CALLSCALE(X(I))
   10 X(I) = FDEV(X(I)) + FHOST(X(I))
C$OMP END TARGET
      IF (N .GT. 1) X(1) = FHOST(X(1))
      END
      SUBROUTINESCALE(A)
      REAL A
      A = A * 1.5
      END
      REALFUNCTIONFDEV(A)
      REAL A
      FDEV = A + 0.25
      END
      REAL FUNCTION F HOST(A)
      REAL A
      FHOST = A - 0.5
      END
