// Blocks that need their upper and left neighbours, in a grid that is wide enough.
// cause: none
// advice: none
// body: sleeps
// threads: 2
// vary: UNIT_US=1800..2200
#include "truth.h"
#define BLOCKS 20

static char block[BLOCKS + 1][BLOCKS + 1];

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    for (int i = 1; i <= BLOCKS; i++)
        for (int j = 1; j <= BLOCKS; j++) {
            #pragma omp task depend(in : block[i - 1][j], block[i][j - 1]) depend(out : block[i][j])
            {
                rest(UNIT_US);
                block[i][j] = 1;
            }
        }
    printf("%d\n", block[BLOCKS][BLOCKS]);
}
