/* Tasks of 5 to 20 ms that are created at once. */
#include <unistd.h>

int main(void)
{
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 60; i++) {
#pragma omp task firstprivate(i)
        usleep(5000 * (1 + i % 4));
    }
    return 0;
}
