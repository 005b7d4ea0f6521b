/* One thread creates a task every 5 ms, and a task takes 30 ms: it feeds six other threads. */
#include <unistd.h>

int main(void)
{
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 48; i++) {
        usleep(5000);
#pragma omp task
        usleep(30000);
    }
    return 0;
}
