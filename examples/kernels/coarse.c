/* coarse.c - task problem 1: too few, too large tasks.
 *
 *   ./coarse [LOSS_MS [BASE_MS]]        default 500 700
 *
 * One task per thread. All of them last BASE_MS, but one lasts BASE_MS + LOSS_MS. Nothing is left
 * that the other threads could do meanwhile: each of them starves LOSS_MS in the barrier that
 * ends the single construct.
 *
 * What a tool should report with P threads: task starvation at the implicit barrier of `single`,
 * LOSS_MS on each of P - 1 threads, (P - 1) x LOSS_MS in total.
 */
#include "kernels.h"

enum { UNITS = 100000 };

static void one_large_task_per_thread(double loss_ms, double base_ms)
{
#pragma omp parallel
    {
#pragma omp single
        {
            const int tasks = omp_get_num_threads();
            for (int t = 0; t < tasks; t++) {
                const long first = part_begin(UNITS, t, tasks);
                const long end = part_begin(UNITS, t + 1, tasks);
                /* The long task comes first, so that it starts when the others do. */
                const double duration_ms = t == 0 ? base_ms + loss_ms : base_ms;
#pragma omp task firstprivate(first, end, duration_ms)
                run_units(first, end, duration_ms);
            }
        }
    }
}

int main(int argc, char **argv)
{
    const double loss_ms = argument(argc, argv, 1, 500, 0, 1e6);
    const double base_ms = argument(argc, argv, 2, 700, 1, 1e6);

    limit_threads();
    one_large_task_per_thread(loss_ms, base_ms);
    return report("coarse", UNITS);
}
