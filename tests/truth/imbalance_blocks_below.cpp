// Some blocks of a mesh are finer, and they lie together, so one thread gets them all. The loop is
// two calls below, in imbalance_blocks_below_mesh.cpp. The repair numbers the blocks so that each
// thread gets one of the fine ones.
// cause: imbalance_steady
// advice: schedule -> OMP_SCHEDULE={value}
// body: sleeps
// threads: 3 4
// faulty: OMP_SCHEDULE=static
// repaired: OMP_SCHEDULE=static
// with: imbalance_blocks_below_mesh.cpp
// vary: LATE=thread COARSE_US=800..900 ROUNDS=36..40
#include "truth.h"

void step();

int main()
{
    for (int round = 0; round < ROUNDS; round++)
        step();
    printf("%d rounds\n", ROUNDS);
}
