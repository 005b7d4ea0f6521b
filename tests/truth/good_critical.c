// A critical region that is short, and that threads come to at different times.
// cause: none
// advice: none
// body: sleeps
// threads: 3 4
// vary: UNIT_US=4000..5000
#include "truth.h"
#define ROUNDS (400000 / UNIT_US)

int main(void)
{
    long sum = 0;
    #pragma omp parallel
    for (int round = 0; round < ROUNDS; round++) {
        rest(UNIT_US);
        #pragma omp critical
        sum++;
    }
    printf("%ld\n", sum);
}
