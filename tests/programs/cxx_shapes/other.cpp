#include "algorithm.hpp"

double half_of(const std::vector<double> &values)
{
  return algorithm::sum(values, [](double v) { return v / 2; });
}
