/* fine_fixed.c - fine.c repaired: tasks that are large compared with their creation.
 *
 *   ./fine_fixed [LOSS_MS [UNITS]]      default 400 20000000
 *
 * The same units as in fine.c, cut into tasks of about 100 us: creation costs less than 1 % of the
 * work. LOSS_MS is accepted, so that both programs can be called alike, and has no influence.
 */
#include "kernels.h"

enum { LARGE = 1 << 16 };

static void large_tasks(long units)
{
    for (long first = 0; first < units; first += LARGE) {
        const long end = first + LARGE < units ? first + LARGE : units;
#pragma omp task firstprivate(first, end)
        add_units(first, end);
    }
}

int main(int argc, char **argv)
{
    (void)argument(argc, argv, 1, 400, 0, 1e6);
    const long units = (long)argument(argc, argv, 2, 20e6, 1, 1e12);

    limit_threads();
#pragma omp parallel
    {
#pragma omp single
        large_tasks(units);
    }
    return report("fine_fixed", units);
}
