#include <cstdio>
#include <vector>

/* The newer constructs in templates, lambdas and member functions, and in each of the spellings. */
template <typename T, int Tasks> T sum_by_tasks(const std::vector<T> &values)
{
  T sum{};
#pragma omp taskloop num_tasks(Tasks) shared(sum, values)
  for (std::size_t i = 0; i < values.size(); ++i) {
    [[omp::directive(atomic)]]
    sum += values[i];
  }
  return sum;
}

struct Log {
  std::vector<int> entries;

  template <typename Action> void in_order(int count, Action action)
  {
#pragma omp parallel for ordered schedule(static, 1) default(none) shared(action) firstprivate(count)
    for (int i = 0; i < count; ++i) {
      int value = action(i);
      [[omp::directive(ordered)]]
      {
        entries.push_back(value);
      }
    }
  }
};

static int waited(int tasks)
{
  int done = 0;
  [[omp::directive(taskgroup)]]
  {
    for (int i = 0; i < tasks; ++i) {
      _Pragma("omp task shared(done) default(none)")
      {
        [[omp::directive(taskyield)]];
        _Pragma("omp atomic") ++done;
      }
    }
  }
  _Pragma("omp flush") return done;
}

int main()
{
  Log log;
  std::vector<int> whole{1, 2, 3, 4, 5, 6};
  std::vector<double> halves(9, 0.5);
  int result = 0, once = 0;
  log.in_order(5, [](int i) { return i * i; });
  log.in_order(2, [&](int i) { return i + result; });

  auto once_each = [&once] {
    [[omp::directive(masked)]]
    ++once;
  };
  [[omp::sequence(directive(parallel num_threads(2)), directive(masked))]]
  {
    auto by_tasks = [&] { return sum_by_tasks<int, 3>(whole) + int(sum_by_tasks<double, 2>(halves)); };
    result = by_tasks() + waited(4);
  }
#pragma omp parallel
  {
    once_each();
    [[omp::directive(loop)]]
    for (int i = 0; i < 9; ++i)
      halves[i] += i;
  }
  int last = 0;
  [[omp::directive(target data map(tofrom: last))]]
  {
    [[omp::directive(target map(tofrom: last))]]
    last = 1;
  }
  [[omp::directive(teams num_teams(1) shared(last))]]
  last += 2;
  std::printf("%d %d %d %zu %d\n", result, once, last, log.entries.size(), log.entries[4]);
  return 0;
}
