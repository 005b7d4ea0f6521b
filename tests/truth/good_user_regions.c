// Regions that the user has marked, of about a fifth of a microsecond.
// cause: none
// advice: none
// body: computes
// threads: 2
// vary: ROUNDS=21000000..24000000 LENGTH=100..130
#include "truth.h"

int main(void)
{
    long sum = 0;
    #pragma omp parallel for reduction(+ : sum)
    for (long round = 0; round < ROUNDS; round++) {
        long value = round;
        #pragma pomp inst begin(chain)
        for (int k = 0; k < LENGTH; k++)
            value = value * 5 + k;
        #pragma pomp inst end(chain)
        sum += value;
    }
    printf("%ld\n", sum);
}
