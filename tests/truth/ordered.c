// The ordered region does half of the loop's work, though only a little of it needs the order.
// cause: ordered
// advice: none
// body: sleeps
// threads: 3 4
// vary: UNIT_US=1800..2200
#include "truth.h"
#define ROUNDS 10
#define ITEMS (400000 / UNIT_US / ROUNDS)

int main(void)
{
    long order = 0;
    for (int round = 0; round < ROUNDS; round++) {
        #pragma omp parallel for ordered schedule(static, 1)
        for (int i = 0; i < ITEMS; i++) {
            rest(UNIT_US);
#ifdef REPAIRED
            rest(UNIT_US);
#endif
            #pragma omp ordered // <-- cause
            {
#ifndef REPAIRED
                rest(UNIT_US);
#endif
                order = (31 * order + i) % 1000003;
            }
        }
    }
    printf("%ld\n", order);
}
