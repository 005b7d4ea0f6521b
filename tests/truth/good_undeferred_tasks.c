// Tasks that their creator executes at once, as below a cut-off: they are only counted.
// cause: none
// advice: none
// body: computes
// threads: 2
// vary: ROUNDS=32000000..37000000 LENGTH=50..70
#include "truth.h"

int main(void)
{
    long sum = 0;
    #pragma omp parallel for reduction(+ : sum)
    for (long round = 0; round < ROUNDS; round++) {
        long value = round;
        #pragma omp task if(0) shared(value)
        for (int k = 0; k < LENGTH; k++)
            value = value * 5 + k;
        sum += value;
    }
    printf("%ld\n", sum);
}
