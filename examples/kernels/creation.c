/* creation.c - task problem 3: one creator that is too slow for its workers.
 *
 *   ./creation [LOSS_MS [TASKS [TASK_MS]]]      default 500 300 2
 *
 * One thread prepares and creates all tasks, the W = max(1, P - 1) others execute them. Preparing
 * a task takes TASK_MS / W, which is exactly as fast as W workers consume tasks, plus the injected
 * LOSS_MS / TASKS. Over the whole run the creator is therefore LOSS_MS slower than its workers,
 * and each of them has nothing to do for that long.
 *
 * What a tool should report with P threads: waiting at the implicit barrier of `single` (the
 * creator arrives there last, and the time in which tasks are executed does not count),
 * (P - 1) x LOSS_MS in total: LOSS_MS on average on each of P - 1 threads, which share the tasks as
 * chance has it. After the creator's arrival the last task still runs: up to TASK_MS of task
 * starvation on each other thread. With LOSS_MS = 0 both are within a few tasks of zero.
 */
#include "kernels.h"

enum { UNITS_PER_TASK = 100 };

static void one_slow_creator(double loss_ms, long tasks, double task_ms)
{
#pragma omp parallel
    {
#pragma omp single
        {
            const int workers = omp_get_num_threads() > 1 ? omp_get_num_threads() - 1 : 1;
            const double prepare_ms = task_ms / workers + loss_ms / (double)tasks;
            /* Deadlines count from one start, so that the cost of creation does not add up. */
            const double start_ms = now_ms();
            for (long t = 0; t < tasks; t++) {
                spin_until(start_ms + prepare_ms * (double)(t + 1));
#pragma omp task firstprivate(t, task_ms)
                run_units(t * UNITS_PER_TASK, (t + 1) * UNITS_PER_TASK, task_ms);
            }
        }
    }
}

int main(int argc, char **argv)
{
    const double loss_ms = argument(argc, argv, 1, 500, 0, 1e6);
    const long tasks = (long)argument(argc, argv, 2, 300, 1, 1e6);
    const double task_ms = argument(argc, argv, 3, 2, 0.01, 1e4);

    limit_threads();
    one_slow_creator(loss_ms, tasks, task_ms);
    return report("creation", tasks * UNITS_PER_TASK);
}
