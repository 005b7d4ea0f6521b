#!/bin/sh
# Writes the source of generated_sum to standard output.
cat <<'END'
#include "sums.h"

int generated_sum(int n)
{
    int sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++)
        sum += i;
    return sum;
}
END
