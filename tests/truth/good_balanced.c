// Balanced loops that are long enough: nothing to repair.
// cause: none
// advice: none
// body: sleeps
// threads: 3 4 8
// vary: UNIT_US=4000..6000
#include "truth.h"
#define ROUNDS (400000 / UNIT_US)

int main(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        #pragma omp parallel for
        for (int i = 0; i < THREADS; i++)
            rest(UNIT_US);
    }
    printf("%d rounds\n", ROUNDS);
}
