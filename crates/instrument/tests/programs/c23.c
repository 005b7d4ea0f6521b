// C23.
#include <stdio.h>

#ifndef X
#define X 1
#elifdef Y
#error
#endif

[[nodiscard]] static int sum(int n) {
  int s = 0;
  unsigned _BitInt(17) bits = 3;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; i++) s += i * (int)bits;
#ifdef UNDEFINED
#pragma omp parallel
  {
#elifdef X
#pragma omp parallel num_threads(2)
  {
#endif
#pragma omp single
    {
      if (s < 0) goto done;
      s += 1;
      done:
    }
  }
  return s;
}

int main() {
  bool yes = true;
  int *none = nullptr;
  printf("%d\n", yes && !none ? sum(1'000) : 0);
}
