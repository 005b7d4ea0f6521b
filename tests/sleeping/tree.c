/* A tree of tasks: 64 leaves of 15 ms, and 2 ms before and after each pair of subtrees. */
#include <unistd.h>

static void tree(int depth)
{
    if (depth == 0) {
        usleep(15000);
        return;
    }
    usleep(2000);
#pragma omp task
    tree(depth - 1);
#pragma omp task
    tree(depth - 1);
#pragma omp taskwait
    usleep(2000);
}

int main(void)
{
#pragma omp parallel
#pragma omp single
    tree(6);
    return 0;
}
