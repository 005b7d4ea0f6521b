// Neighbouring cells are one thread's and another's, and share a cache line. The repair puts each
// into a line of its own.
// cause: memory_or_sharing
// advice: none
// body: computes
// threads: 2
// reference: 1
// vary: ROUNDS=2800..3100 VISITS=2500..2600
#include <atomic>
#include "truth.h"
#define CELLS 8
#ifdef REPAIRED
#define APART 16
#else
#define APART 1
#endif

static std::atomic<long> cell[CELLS * APART];

int main()
{
    for (int round = 0; round < ROUNDS; round++) {
        #pragma omp parallel for schedule(static, 1) // <-- cause
        for (int i = 0; i < CELLS; i++)
            for (int visit = 0; visit < VISITS; visit++)
                cell[i * APART].fetch_add(1, std::memory_order_relaxed);
    }
    printf("%ld\n", cell[0] + cell[(CELLS - 1) * APART]);
}
