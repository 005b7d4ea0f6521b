#include "sums.h"

#include <vector>

int shared_sum(int n)
{
    std::vector<int> values(n);
    int sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++) {
        values[i] = i;
        sum += values[i];
    }
    return sum;
}
