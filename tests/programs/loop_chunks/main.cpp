#include <cstdio>
#include <vector>

/* Chunks: the iterations that one thread takes in one go, whichever way the loop counts. */
static int dealt_sum, down, single, counted, ranged, lanes, nested;

static void dealt(int rounds)
{
  for (int round = 0; round < rounds; round++) {
#pragma omp for schedule(static, 2) reduction(+ : dealt_sum)
    for (int i = 0; i < 16; i++) {
      if (i == 5)
        continue;
      dealt_sum += i;
    }
  }
}

int main()
{
  std::vector<int> values(10, 3);
#pragma omp parallel
  {
    dealt(2);
#pragma omp for schedule(static) reduction(+ : down) nowait
    for (long i = 15; i >= 0; i -= 3) {
#pragma omp critical
      down += (int)i;
    }
#pragma omp for schedule(static, 1) reduction(+ : single)
    for (unsigned i = 1; i <= 8; ++i)
      single += i;
#pragma omp for simd reduction(+ : lanes)
    for (int i = 0; i < 16; i++)
      lanes += i;
  }
  /* Nothing tells how iterators and nested loops go on: each iteration is a chunk. */
#pragma omp parallel for reduction(+ : counted)
  for (auto value = values.begin(); value < values.end(); ++value)
    counted += *value;
#pragma omp parallel for reduction(+ : ranged)
  for (int value : values)
    ranged += value;
#pragma omp parallel for collapse(2) reduction(+ : nested)
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++)
      nested += i * j;
  for (int sum : {dealt_sum, down, single, counted, ranged})
    std::printf("%d ", sum);
  std::printf("%d %d\n", lanes, nested);
  return 0;
}
