// Lambdas, range loops of the user, raw strings in C++11.
#include <algorithm>
#include <cstdio>
#include <vector>

static const char *raw = R"x(#pragma omp parallel { " )" )x";

int main() {
  std::vector<int> v{1, 2, 3, 4};
  int x = 0;
  auto add = [&](int k) {
#pragma omp parallel num_threads(2)
    {
#pragma omp critical(adding)
      x += k;
    }
  };
  add(0);
#pragma omp parallel num_threads([] { return 2; }())
#pragma omp single
  for (auto &value : v)
#pragma omp task firstprivate(value) shared(x)
  {
#pragma omp atomic
    x += value;
  }
#pragma omp parallel
#pragma omp master
  std::for_each(v.begin(), v.end(), [&](int value) {
    if (value > 2) {
#pragma omp critical(adding)
      { x += value; }
    }
  });
  std::printf("%d %c\n", x, raw[0]);
  return 0;
}
