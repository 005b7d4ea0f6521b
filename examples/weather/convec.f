C     convec.f - rain out of moist air. A routine of the older kind:
C     fixed source form, labelled loops, no module, all by argument.
C     Called by all threads of a team (orphaned directive).
C
C     NI, NJ   size of the fields
C     Q        water in the air, kg/m2: rain is taken out of it
C     QSAT     water that the air of a row can hold
C     RAIN     rain is added to this
C     NRAIN    the number of cells in which it rained is added to this
C
      SUBROUTINE CONVEC(NI, NJ, Q, QSAT, RAIN, NRAIN)
      IMPLICIT NONE
      INTEGER NI, NJ, NRAIN
      DOUBLE PRECISION Q(NI, NJ), QSAT(NJ), RAIN(NI, NJ)
      INTEGER I, J, K
      DOUBLE PRECISION DROP, EXCESS, WARM
C
!$OMP DO SCHEDULE(STATIC) PRIVATE(I, K, DROP, EXCESS, WARM)
!$OMP& REDUCTION(+:NRAIN)
      DO 30 J = 1, NJ
         DO 20 I = 1, NI
            EXCESS = Q(I, J) - QSAT(J)
            IF (EXCESS .LE. 0.0D0) GO TO 20
C           Rain warms the air, and warm air holds more: by Newton's
C           method the amount that leaves the air just saturated.
            DROP = 0.0D0
            DO 10 K = 1, 20
               WARM = 0.3D0 * QSAT(J) * (1.0D0
     &                - EXP(-DROP / QSAT(J)))
               DROP = DROP - (DROP + WARM - EXCESS)
     &                / (1.0D0 + 0.3D0 * EXP(-DROP / QSAT(J)))
               IF (ABS(DROP + WARM - EXCESS) .LE. 1.0D-12) GO TO 15
   10       CONTINUE
   15       Q(I, J) = Q(I, J) - DROP
            RAIN(I, J) = RAIN(I, J) + DROP
            NRAIN = NRAIN + 1
   20    CONTINUE
   30 CONTINUE
!$OMP END DO
      END
