// The root task of a recursion adds up a large result alone, after the tasks that it has created.
// The repair adds it up in tasks.
// cause: single_master
// advice: none
// body: sleeps
// threads: 3 4
// vary: UNIT_US=5000..6000
#include "truth.h"
#define PARTS 24

static int done[PARTS];

static void halves(int from, int to)
{
    if (to - from == 1) {
        rest(UNIT_US);
        done[from] = 1;
        return;
    }
    #pragma omp task
    halves(from, (from + to) / 2);
    halves((from + to) / 2, to);
    #pragma omp taskwait
}

static void add_up()
{
#ifdef REPAIRED
    for (int i = 0; i < 3 * THREADS; i++) {
        #pragma omp task
        rest(200000 / (3 * THREADS));
    }
    #pragma omp taskwait
#else
    rest(200000);
#endif
}

int main()
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task // <-- cause
        {
            halves(0, PARTS);
            add_up();
        }
    }
    printf("%d\n", done[PARTS - 1]);
}
