// Balanced recursion, whose leaves take half a microsecond: each call is measured.
// cause: none
// advice: none
// body: computes
// threads: 2
// instrument: --functions
// vary: TREES=2500..2700 LENGTH=130..160
#include "truth.h"

static long tree(int depth, long value)
{
    if (depth > 0)
        return tree(depth - 1, value) + tree(depth - 1, value + depth);
    for (int k = 0; k < LENGTH; k++)
        value = value * 5 + k;
    return value;
}

int main()
{
    long sum = 0;
    #pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < TREES; i++)
        sum += tree(12, i);
    printf("%ld\n", sum);
}
