/* A serial part, a loop, and a single construct that all wait for. */
#include <unistd.h>

int main(void)
{
    usleep(60000);
#pragma omp parallel
    {
#pragma omp for schedule(guided)
        for (int i = 0; i < 240; i++)
            usleep(4000);
#pragma omp single
        usleep(30000);
#pragma omp for schedule(static)
        for (int i = 0; i < 48; i++)
            usleep(8000);
    }
    return 0;
}
