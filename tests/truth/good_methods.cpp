// Balanced, with methods of about a fifth of a microsecond: measuring them costs a lot.
// cause: none
// advice: none
// body: computes
// threads: 2
// instrument: --functions
// vary: CALLS=16000000..18000000 LENGTH=90..120
#include "truth.h"

class Hash {
public:
    void add(long value)
    {
        for (int k = 0; k < LENGTH; k++)
            state = state * 5 + (value ^ k);
    }
    long state = 1;
};

int main()
{
    long sum = 0;
    #pragma omp parallel reduction(+ : sum)
    {
        Hash hash;
        #pragma omp for
        for (long i = 0; i < CALLS; i++)
            hash.add(i);
        sum += hash.state & 1;
    }
    printf("%ld\n", sum);
}
