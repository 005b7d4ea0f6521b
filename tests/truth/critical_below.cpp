// The critical region that is kept too long is two calls below, in critical_below_log.cpp. A
// barrier after it makes the threads wait a second time for the same.
// cause: critical
// advice: none
// body: sleeps
// threads: 3 4
// instrument: --functions
// with: critical_below_log.cpp
// vary: UNIT_US=1500..2500
#include "truth.h"
#define ROUNDS (400000 / UNIT_US / (THREADS + 1))

void report();
long lines();

static void solve()
{
    rest(UNIT_US);
}

int main()
{
    #pragma omp parallel
    for (int round = 0; round < ROUNDS; round++) {
        solve();
        report();
        #pragma omp barrier // the decoy
    }
    printf("%ld\n", lines());
}
