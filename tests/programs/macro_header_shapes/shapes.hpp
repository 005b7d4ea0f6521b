#pragma once
#include <vector>

#define OMP(...) _Pragma(#__VA_ARGS__)
#define FOR_EACH(i, n) \
  OMP(omp for nowait)  \
  for (int i = 0; i < (n); i++)

template <class T> struct Sum {
  std::vector<T> values;
  T total() const
  {
    T sum{};
#pragma omp parallel for reduction(+ : sum)
    for (std::size_t i = 0; i < values.size(); i++)
      sum += values[i];
    return sum;
  }
};

inline int locked(int &x)
{
#pragma omp critical(shapes)
  x++;
  return x;
}
