// Another program takes most of a CPU.
// cause: busy_neighbour
// advice: none
// body: computes
// threads: 2
// surroundings: neighbours 2
// vary: ROUNDS=28..32
#include "truth.h"

int main()
{
    for (int round = 0; round < ROUNDS; round++) {
        #pragma omp parallel for // <-- cause
        for (int i = 0; i < 8; i++)
            work(500);
    }
    printf("%d rounds\n", ROUNDS);
}
