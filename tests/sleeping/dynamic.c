/* Iterations of 3 to 15 ms, handed out two at a time, after 50 ms on one thread. */
#include <unistd.h>

int main(void)
{
    usleep(50000);
#pragma omp parallel for schedule(dynamic, 2)
    for (int i = 0; i < 100; i++)
        usleep(3000 * (1 + i % 5));
    return 0;
}
