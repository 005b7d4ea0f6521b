// Two loops with chunks of one element, three times as many in one of them. A third has chunks
// that are long enough, and waits at its end.
// cause: short_chunks
// advice: schedule -> OMP_SCHEDULE={value}
// body: computes
// threads: 2
// faulty: OMP_SCHEDULE=dynamic,1
// repaired: OMP_SCHEDULE=static
// vary: ROUNDS=8..9 ELEMENTS=200000..220000 ORDER=0..1
#include "truth.h"

static double element[ELEMENTS];

static void many()
{
    for (int k = 0; k < 3 * ROUNDS; k++) {
        #pragma omp parallel for schedule(runtime) // <-- cause
        for (long i = 0; i < ELEMENTS; i++)
            element[i] = 0.5 * element[i] + k;
    }
}

static void few()
{
    for (int k = 0; k < ROUNDS; k++) {
        #pragma omp parallel for schedule(dynamic, 1) // the smaller cause
        for (long i = 0; i < ELEMENTS; i++)
            element[i] = 0.25 * element[i] + k;
    }
}

int main()
{
    if (ORDER)
        many();
    few();
    #pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < 9; i++)
        work(2000);
    if (!ORDER)
        many();
    printf("%.6f\n", element[ELEMENTS - 1]);
}
