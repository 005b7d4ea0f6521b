// A function that one thread runs alone, two calls below, in serial_part_below_io.cpp.
// cause: serial_part
// advice: none
// body: sleeps
// threads: 3 4 8
// instrument: --functions
// with: serial_part_below_io.cpp
// vary: UNIT_US=3000..4000 ORDER=0..1
#include "truth.h"
#define ROUNDS (200000 / UNIT_US)

void save();

static void solve()
{
    #pragma omp parallel for
    for (int i = 0; i < THREADS; i++)
        rest(UNIT_US);
}

int main()
{
    for (int round = 0; round < ROUNDS; round++) {
#if ORDER
        solve();
        save();
#else
        save();
        solve();
#endif
    }
    printf("%d rounds\n", ROUNDS);
}
