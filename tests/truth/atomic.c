// Two threads add to the same number all the time. The repair adds up first.
// cause: atomic
// advice: none
// body: computes
// threads: 2
// vary: UPDATES=18000000..20000000
#include "truth.h"

int main(void)
{
    long sum = 0;
    #pragma omp parallel
    {
        long own = 0;
        #pragma omp for
        for (long i = 0; i < UPDATES; i++) {
#ifdef REPAIRED
            own += i % 3;
            __asm__ volatile("" : "+r"(own));
#else
            #pragma omp atomic // <-- cause
            sum += i % 3;
#endif
        }
#ifdef REPAIRED
        #pragma omp atomic
        sum += own;
#else
        (void)own;
#endif
    }
    printf("%ld\n", sum);
}
