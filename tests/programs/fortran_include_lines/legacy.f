      integer function legacy(n)
      integer n, k
      include 'common.inc'
      k = 0
C$OMP PARALLEL NUM_THREADS(2)
      INCLUDE 'locked.inc'
C$OMP END PARALLEL
      legacy = k + n
      end
