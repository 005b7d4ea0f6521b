// A dynamic schedule hands out one element at a time; each is done faster than it is handed out.
// cause: short_chunks
// advice: schedule -> OMP_SCHEDULE={value}
// body: computes
// threads: 2
// faulty: OMP_SCHEDULE=dynamic,1
// repaired: OMP_SCHEDULE=static
// vary: ROUNDS=32..36 ELEMENTS=200000..220000
#include "truth.h"

static double element[ELEMENTS];

int main(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        #pragma omp parallel for schedule(runtime) // <-- cause
        for (long i = 0; i < ELEMENTS; i++)
            element[i] = 0.5 * element[i] + round;
    }
    printf("%.6f\n", element[ELEMENTS - 1]);
}
