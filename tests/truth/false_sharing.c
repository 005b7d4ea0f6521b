// Each thread has a counter of its own, but all counters are in one cache line.
// cause: memory_or_sharing
// advice: none
// body: computes
// threads: 2
// reference: 1
// vary: STEPS=31000000..34000000
#include "truth.h"
#ifdef REPAIRED
#define APART 64
#else
#define APART 1
#endif

static long counter[THREADS * APART] __attribute__((aligned(512)));

int main(void)
{
    #pragma omp parallel // <-- cause
    {
        long *own = &counter[omp_get_thread_num() * APART];
        for (long i = 0; i < STEPS; i++)
            __atomic_fetch_add(own, 1, __ATOMIC_RELAXED); // others may read it
    }
    printf("%ld\n", counter[0] + counter[APART]);
}
