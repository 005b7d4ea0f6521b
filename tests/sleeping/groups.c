/* Six taskgroups, one after the other, of 20 tasks of 8 ms. */
#include <unistd.h>

int main(void)
{
#pragma omp parallel
#pragma omp single
    for (int group = 0; group < 6; group++) {
#pragma omp taskgroup
        for (int i = 0; i < 20; i++) {
#pragma omp task
            usleep(8000);
        }
    }
    return 0;
}
