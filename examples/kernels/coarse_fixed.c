/* coarse_fixed.c - coarse.c repaired: the same total work in many small tasks.
 *
 *   ./coarse_fixed [LOSS_MS [BASE_MS]]  default 500 700
 *
 * P threads have P x BASE_MS + LOSS_MS of work, as in coarse.c, but cut into pieces of about 2 ms.
 * The threads finish within one piece of each other: task starvation stays below 2 ms per thread
 * and does not follow LOSS_MS. The run is shorter by (P - 1) / P x LOSS_MS.
 */
#include "kernels.h"

enum { UNITS = 100000 };

static const double piece_ms = 2;

static void many_small_tasks(double loss_ms, double base_ms)
{
#pragma omp parallel
    {
#pragma omp single
        {
            const double total_ms = base_ms * omp_get_num_threads() + loss_ms;
            const long tasks = 1 + (long)(total_ms / piece_ms);
            for (long t = 0; t < tasks; t++) {
                const long first = part_begin(UNITS, t, tasks);
                const long end = part_begin(UNITS, t + 1, tasks);
                const double duration_ms = total_ms / (double)tasks;
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
    many_small_tasks(loss_ms, base_ms);
    return report("coarse_fixed", UNITS);
}
