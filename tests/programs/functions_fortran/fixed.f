C     A label before RETURN, blanks in keywords, a RETURN behind column 50.
      SUBROUTINE FIXED(I, K)
      INTEGER I, K
      IF (I .EQ. 2) GOTO 90
      IF (I .EQ. 3) GOTO 99
      IF (I .EQ. 4 .AND. K .GT. 0 .AND. K .LT. 100000)      RE TURN
      K = K + NFUN(I)
      RETURN
   90 K = K + 10
   95 RETURN
   99 E N D
      INTEGERFUNCTIONNFUN(N)
      NFUN = N
      IF (N .GT. 0) THEN
	RETURN
      ENDIF
      END
