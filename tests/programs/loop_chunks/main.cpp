#include <cstdio>
#include <vector>

/* Chunks: the iterations that one thread takes in one go, whichever way the loop counts. */
static int sums[5], lanes, nested;

static void dealt(int rounds)
{
  for (int round = 0; round < rounds; round++) {
#pragma omp for schedule(static, 2) reduction(+ : sums[0])
    for (int i = 0; i < 16; i++) {
      if (i == 5)
        continue;
      sums[0] += i;
    }
  }
}

int main()
{
  std::vector<int> values(10, 3);
#pragma omp parallel
  {
    dealt(2);
#pragma omp for schedule(static) reduction(+ : sums[1]) nowait
    for (long i = 15; i >= 0; i -= 3) {
#pragma omp critical
      sums[1] += (int)i;
    }
#pragma omp for schedule(static, 1) reduction(+ : sums[2])
    for (unsigned i = 1; i <= 8; ++i)
      sums[2] += i;
#pragma omp for simd reduction(+ : lanes)
    for (int i = 0; i < 16; i++)
      lanes += i;
  }
  /* Nothing tells how iterators and nested loops go on: each iteration is a chunk. */
#pragma omp parallel for reduction(+ : sums[3])
  for (auto value = values.begin(); value < values.end(); ++value)
    sums[3] += *value;
#pragma omp parallel for reduction(+ : sums[4])
  for (int value : values)
    sums[4] += value;
#pragma omp parallel for collapse(2) reduction(+ : nested)
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++)
      nested += i * j;
  for (int sum : sums)
    std::printf("%d ", sum);
  std::printf("%d %d\n", lanes, nested);
  return 0;
}
