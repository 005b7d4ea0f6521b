#include "algorithm.hpp"
#include <cstdio>
#include <cstdint>

double half_of(const std::vector<double> &values);

namespace {

struct Field {
  std::vector<int> cells{1'000, 2'000, 3'000};
  int total = 0;
  void add_up()
  {
#pragma omp parallel for
    for (auto &cell : cells)
      cell += 1;
#pragma omp parallel num_threads(2)
    {
#pragma omp single
      for (const auto cell : cells) total += cell;
    }
  }
  auto task_sum()
  {
    int sum = 0;
#pragma omp parallel
#pragma omp single
    for (int cell : cells)
#pragma omp task shared(sum) firstprivate(cell)
    {
      auto add = [&] {
#pragma omp atomic
        sum += cell;
        return cell;
      };
      (void)add();
    }
    return sum;
  }
};

} // namespace

int main()
{
  const char *text = R"x(
#pragma omp parallel
{ )" )x";
  Field field;
  algorithm::Counter counter;
  field.add_up();
  auto triple = [](int v) { return 3 * v; };
  std::vector<int> small{1, 2, 3};
#pragma omp parallel num_threads(2)
  counter.add([] { return 5; }());
  if (int n = counter.count; n > 0)
#pragma omp parallel for num_threads([&] { return n / 5; }())
    for (int i = 0; i < 4; i++) counter.add(i);
  else
    counter.count = 0;
  std::printf("%d %d %d %d\n", field.total, field.task_sum(), counter.count, text[0] == '\n');
  std::printf("%d %.1f\n", algorithm::sum(small, triple), half_of({1, 2, 3}));
  return 0;
}
