// A single parallel region: that its threads are made takes a while, but there is nothing to merge.
// cause: none
// advice: none
// body: sleeps
// threads: 8
// vary: UNIT_US=350000..450000
#include "truth.h"

int main(void)
{
    #pragma omp parallel
    rest(UNIT_US);
    printf("done\n");
}
