// A control group gives the program one of its two CPUs.
// cause: quota
// advice: none
// body: computes
// threads: 2
// surroundings: quota 100
// vary: ROUNDS=90..100
#include "truth.h"

int main(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        #pragma omp parallel for // <-- cause
        for (int i = 0; i < 8; i++)
            work(250);
    }
    printf("%d rounds\n", ROUNDS);
}
