/* creation_fixed.c - creation.c repaired: all threads prepare and create tasks.
 *
 *   ./creation_fixed [LOSS_MS [TASKS [TASK_MS]]]        default 500 300 2
 *
 * The same preparation and the same tasks as in creation.c, but the loop that creates them is
 * shared by the team. Everybody creates, then everybody executes in the barrier of the loop:
 * nobody waits for longer than one task, whatever LOSS_MS is.
 */
#include "kernels.h"

enum { UNITS_PER_TASK = 100 };

static void everybody_creates(double loss_ms, long tasks, double task_ms)
{
#pragma omp parallel
    {
        const int workers = omp_get_num_threads() > 1 ? omp_get_num_threads() - 1 : 1;
        const double prepare_ms = task_ms / workers + loss_ms / (double)tasks;
#pragma omp for schedule(static)
        for (long t = 0; t < tasks; t++) {
            spin_until(now_ms() + prepare_ms);
#pragma omp task firstprivate(t, task_ms)
            run_units(t * UNITS_PER_TASK, (t + 1) * UNITS_PER_TASK, task_ms);
        }
    }
}

int main(int argc, char **argv)
{
    const double loss_ms = argument(argc, argv, 1, 500, 0, 1e6);
    const long tasks = (long)argument(argc, argv, 2, 300, 1, 1e6);
    const double task_ms = argument(argc, argv, 3, 2, 0.01, 1e4);

    limit_threads();
    everybody_creates(loss_ms, tasks, task_ms);
    return report("creation_fixed", tasks * UNITS_PER_TASK);
}
