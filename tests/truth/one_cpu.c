// An old setting binds all threads to the first CPU.
// cause: one_cpu
// advice: binding -> OMP_PROC_BIND={value}
// body: computes
// threads: 2
// faulty: GOMP_CPU_AFFINITY=0
// vary: ROUNDS=32..36
#include "truth.h"

int main(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        #pragma omp parallel for // <-- cause
        for (int i = 0; i < 8; i++)
            work(500);
    }
    printf("%d rounds\n", ROUNDS);
}
