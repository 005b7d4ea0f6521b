// Outside of parallel regions a library computes with threads of its own, on all CPUs: these are no
// serial parts, and no other program's doing.
// cause: none
// advice: none
// body: computes
// threads: 2
// plain: library.c
// environment: LIBRARY_THREADS=2
// vary: ROUNDS=18..20
#include "truth.h"

void library_solve(long units);

int main(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        library_solve(20000);
        #pragma omp parallel for
        for (int i = 0; i < 2; i++)
            work(500);
    }
    printf("%d rounds\n", ROUNDS);
}
