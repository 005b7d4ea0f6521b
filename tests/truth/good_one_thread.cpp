// One thread: there is no other thread to wait for, even where something takes its CPU for a while.
// cause: none
// advice: none
// body: computes
// threads: 1
// vary: ROUNDS=800..900
#include "truth.h"

int main()
{
    #pragma omp parallel
    for (int round = 0; round < ROUNDS; round++) {
        #pragma omp for
        for (int i = 0; i < 2; i++)
            work(250);
        #pragma omp single
        work(10);
    }
    printf("%d rounds\n", ROUNDS);
}
