/* fine.c - task problem 2: too many, too small tasks.
 *
 *   ./fine [LOSS_MS [UNITS]]            default 400 20000000
 *
 * The work is cut into tasks of GRAIN units, about 20 ns, while creating a task costs hundreds of
 * nanoseconds. The cost of a creation differs between machines, compilers and team sizes by more
 * than a factor of ten, so no fixed number of tasks stands for LOSS_MS. The program calibrates
 * itself instead: it times the creation of small tasks, batch by batch, and when the batches have
 * cost LOSS_MS the rest of the units follows in large tasks that cost next to nothing.
 *
 * What a tool should report: LOSS_MS in the `create task` construct of small_tasks(), on the one
 * thread that creates. (A runtime may execute tasks in there when too many are waiting. That is a
 * tenth of the time at most, and a tool subtracts it.) The other P - 1 threads meanwhile fetch
 * tasks faster than they are created: each waits at the implicit barrier of `single` for most of
 * LOSS_MS. How many tasks it took is said on stderr; stdout has only what is the same in each run.
 */
#include "kernels.h"

enum { GRAIN = 8, BATCH = 64, LARGE = 1 << 16 };

/* Creates small tasks until their creation has cost loss_ms; returns the first unit left over. */
static long small_tasks(double loss_ms, long units)
{
    double spent_ms = 0;
    long next = 0;
    while (spent_ms < loss_ms && next < units) {
        const double start_ms = now_ms();
        for (int t = 0; t < BATCH && next < units; t++, next += GRAIN) {
            const long first = next;
            const long end = first + GRAIN < units ? first + GRAIN : units;
#pragma omp task firstprivate(first, end)
            add_units(first, end);
        }
        spent_ms += now_ms() - start_ms;
    }
    fprintf(stderr, "fine: %ld small tasks cost %.0f ms%s\n", (next + GRAIN - 1) / GRAIN, spent_ms,
            spent_ms < loss_ms ? " (too few UNITS for LOSS_MS)" : "");
    return next;
}

static void large_tasks(long next, long units)
{
    for (long first = next; first < units; first += LARGE) {
        const long end = first + LARGE < units ? first + LARGE : units;
#pragma omp task firstprivate(first, end)
        add_units(first, end);
    }
}

int main(int argc, char **argv)
{
    const double loss_ms = argument(argc, argv, 1, 400, 0, 1e6);
    const long units = (long)argument(argc, argv, 2, 20e6, 1, 1e12);

    limit_threads();
#pragma omp parallel
    {
#pragma omp single
        large_tasks(small_tasks(loss_ms, units), units);
    }
    return report("fine", units);
}
