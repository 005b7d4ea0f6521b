// Members, templates and exceptions in C++98.
#include <cstdio>
#include <vector>

namespace shapes {

class Counter {
public:
  Counter() : value(0) {}
  void run() {
#pragma omp parallel num_threads(2)
    {
#pragma omp critical
      this->value++;
#pragma omp barrier
#pragma omp single
      value *= 1;
    }
  }
  int value;
};

template <class T> T sum(const std::vector<T> &v) {
  T s = T();
  const int n = static_cast<int>(v.size());
#pragma omp parallel for reduction(+ : s) default(none) shared(v, n)
  for (int i = 0; i < n; ++i) s += v[static_cast<std::size_t>(i)];
  return s;
}

} // namespace shapes

static int guarded() {
  int caught = 0;
#pragma omp parallel num_threads(2)
  try {
#pragma omp critical
    { caught++; }
    throw 1;
  } catch (int) {
#pragma omp atomic
    caught++;
  }
  return caught > 1;
}

int main() {
  shapes::Counter counter;
  counter.run();
  std::vector<int> v(10, 2);
  std::vector<double> w(10, 0.5);
  std::printf("%d %d %.1f %d\n", counter.value > 0, shapes::sum(v), shapes::sum(w), guarded());
  return 0;
}
