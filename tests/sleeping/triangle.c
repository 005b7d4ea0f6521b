/* Iteration i takes i * 300 us, in equal parts: the last thread has the most work. */
#include <unistd.h>

int main(void)
{
    for (int step = 0; step < 2; step++) {
#pragma omp parallel for schedule(static)
        for (int i = 0; i < 64; i++)
            usleep(300 * (i + 1));
    }
    return 0;
}
