// A step has three phases in one parallel region. The loops are in functions that the region calls,
// and the work of the second one is spread unevenly.
// cause: imbalance_steady
// advice: schedule -> OMP_SCHEDULE={value}
// body: sleeps
// threads: 2 4
// faulty: OMP_SCHEDULE=static
// repaired: OMP_SCHEDULE=static
// vary: UNIT_US=350..400 STEPS=16..18
#include "truth.h"
#define CELLS 32
static void assemble(void)
{
    #pragma omp for schedule(static)
    for (int i = 0; i < CELLS; i++)
        rest(UNIT_US / 2);
}
static int cost(int i)
{
#ifdef REPAIRED
    return i % 2 ? 3 : 1;
#else
    return i < CELLS / 2 ? 3 : 1;
#endif
}
static void solve(void)
{
    #pragma omp for schedule(runtime) // <-- cause
    for (int i = 0; i < CELLS; i++)
        rest(UNIT_US * cost(i));
}
static void update(void)
{
    #pragma omp for schedule(static)
    for (int i = 0; i < CELLS; i++)
        rest(UNIT_US / 4);
}
int main(void)
{
    #pragma omp parallel
    for (int step = 0; step < STEPS; step++) {
        assemble();
        solve();
        update();
    }
    printf("%d steps\n", STEPS);
}
