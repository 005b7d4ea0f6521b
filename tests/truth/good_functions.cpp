// Balanced, but with many calls of a tiny function: measuring functions costs a lot here.
// cause: none
// advice: none
// body: computes
// threads: 2
// instrument: --functions
// vary: CALLS=780000000..860000000
#include "truth.h"

__attribute__((noinline)) static long tiny(long x)
{
    __asm__ volatile("" : "+r"(x));
    return x * 3 + 1;
}

int main()
{
    long sum = 0;
    #pragma omp parallel for reduction(+ : sum)
    for (long i = 0; i < CALLS; i++)
        sum += tiny(i) & 1;
    printf("%ld\n", sum);
}
