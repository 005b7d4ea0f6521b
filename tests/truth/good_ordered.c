// A loop with a short ordered part: iterations hardly wait for their turn.
// cause: none
// advice: none
// body: sleeps
// threads: 2 4
// vary: UNIT_US=2500..2800
#include "truth.h"
int main(void)
{
    long total = 0;
    #pragma omp parallel for ordered schedule(static, 1)
    for (int i = 0; i < 120 * THREADS; i++) {
        rest(UNIT_US);
        #pragma omp ordered
        total = total * 3 + i;
    }
    printf("%ld\n", total);
}
