// Many short loops without barriers, in equal parts: measuring them costs a lot.
// cause: none
// advice: none
// body: computes
// threads: 2
// vary: ROUNDS=8900000..10000000 LENGTH=55..70
#include "truth.h"

int main(void)
{
    long sums[64] = {0};
    #pragma omp parallel
    for (long round = 0; round < ROUNDS; round++) {
        #pragma omp for schedule(static) nowait
        for (int part = 0; part < 4; part++) {
            long value = round;
            for (int k = 0; k < LENGTH; k++)
                value = value * 5 + k;
            sums[16 * part] += value;
        }
    }
    printf("%ld\n", sums[0] + sums[16] + sums[32] + sums[48]);
}
