// Two sections on more threads, one of them longer. Only two threads can work, whatever is done:
// the repair makes both sections equally long.
// cause: imbalance_steady
// advice: none
// body: sleeps
// threads: 4 8
// vary: UNIT_US=3000..4000 ROUNDS=34..38 ORDER=0..1
#include "truth.h"
#ifdef REPAIRED
#define FIRST (2 * UNIT_US)
#define SECOND (2 * UNIT_US)
#elif ORDER
#define FIRST (3 * UNIT_US)
#define SECOND UNIT_US
#else
#define FIRST UNIT_US
#define SECOND (3 * UNIT_US)
#endif

int main(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        #pragma omp parallel sections // <-- cause
        {
            #pragma omp section
            rest(FIRST);
            #pragma omp section
            rest(SECOND);
        }
    }
    printf("%d rounds\n", ROUNDS);
}
