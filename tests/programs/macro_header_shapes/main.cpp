#include "shapes.hpp"
#include <cstdio>

/* Directives in templates, in inline functions, in macros of a header, and in a file that is
   included twice within a construct. */
int main()
{
  int calls = 0, odd = 0;
  Sum<int> ints{{1, 2, 3}};
  Sum<double> doubles{{0.5, 0.25}};
#pragma omp parallel num_threads(2)
  {
#define STEPS 3
#include "body.inc"
#undef STEPS
#define STEPS 5
#define LAST
#include "body.inc"
    FOR_EACH(k, 4)
    if (k % 2) {
      OMP(omp atomic)
      odd++;
    }
    auto add = [&](int n) { OMP(omp single) calls++; return n; };
    const int seven = add(7);
    OMP(omp critical(shapes)) { odd += seven == 7; }
  }
  std::printf("%d %d %d %.2f %d\n", calls, odd, ints.total(), doubles.total(), __LINE__);
  return 0;
}
