// Blocks need their upper and left neighbours. But each also says that it changes the first block
// of its row and that of the row above, so the rows run one after the other.
// cause: dependences
// advice: none
// body: sleeps
// threads: 3 4
// vary: UNIT_US=2500..3000
#include "truth.h"
#define BLOCKS 12

static char block[BLOCKS + 1][BLOCKS + 1];

static void create(int i, int j)
{
#ifdef REPAIRED
    #pragma omp task depend(in : block[i - 1][j], block[i][j - 1]) depend(out : block[i][j])
#else
    #pragma omp task depend(inout : block[i - 1][0], block[i][0]) // <-- cause
#endif
    {
        rest(UNIT_US);
        block[i][j] = 1;
    }
}

int main()
{
    #pragma omp parallel
    #pragma omp single
    for (int i = 1; i <= BLOCKS; i++)
        for (int j = 1; j <= BLOCKS; j++)
            create(i, j);
    printf("%d\n", block[BLOCKS][BLOCKS]);
}
