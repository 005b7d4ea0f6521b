// Short critical regions, each of which only one thread enters: no thread waits, and no memory is
// written by both.
// cause: none
// advice: none
// body: computes
// threads: 2
// plain: critical_words.c
// vary: ROUNDS=4200000..5200000 LENGTH=130..170
#include "truth.h"

static _Alignas(64) long even;
static _Alignas(64) long odd;

static long chain(long value)
{
    for (int k = 0; k < LENGTH; k++)
        value = value * 5 + k;
    return value;
}

int main(void)
{
    #pragma omp parallel
    for (long round = 0; round < ROUNDS; round++) {
        long value = chain(round);
        if (omp_get_thread_num() == 0) {
            #pragma omp critical(even)
            even += value;
        } else {
            #pragma omp critical(odd)
            odd += value;
        }
    }
    printf("%ld\n", even + odd);
}
