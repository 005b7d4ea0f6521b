#pragma once
#include <cstddef>
#include <vector>

namespace algorithm {

/* In a header, a template, and used by two files with two types. */
template <class T, class F>
T sum(const std::vector<T> &values, F &&change)
{
  T total{};
#pragma omp parallel for reduction(+ : total) default(none) shared(values, change)
  for (std::size_t i = 0; i < values.size(); ++i)
    total += change(values[i]);
  return total;
}

class Counter {
public:
  void add(int amount)
  {
#pragma omp critical(counter)
    count += amount;
  }
  int count = 0;
};

} // namespace algorithm
