// The later an iteration, the longer it takes; a static schedule gives the long ones to one thread.
// The repair deals iterations like cards, so that each thread's block takes the same time.
// cause: imbalance_steady
// advice: schedule -> OMP_SCHEDULE={value}
// body: sleeps
// threads: 3 4 8
// faulty: OMP_SCHEDULE=static
// repaired: OMP_SCHEDULE=static
// vary: STEP_US=700..900 ROUNDS=28..34
#include "truth.h"
#define EACH 4
#define ITEMS (EACH * THREADS)

static int item(int i)
{
#ifdef REPAIRED
    int thread = i / EACH, turn = i % EACH;
    return turn * THREADS + (turn % 2 ? THREADS - 1 - thread : thread);
#else
    return i;
#endif
}

int main(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        #pragma omp parallel for schedule(runtime) // <-- cause
        for (int i = 0; i < ITEMS; i++)
            rest(STEP_US + STEP_US * 4L * item(i) / ITEMS);
    }
    printf("%d rounds\n", ROUNDS);
}
