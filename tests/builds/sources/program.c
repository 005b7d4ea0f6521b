#include <stdio.h>
#include "sums.h"

int main(void)
{
    int sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 10; i++)
        sum += i;
    sum += static_sum(10) + shared_sum(10) + generated_sum(10) + fortran_sum(10);
    printf("%s %d\n", __FILE__, sum);
    return sum == 5 * 45 ? 0 : 1;
}
