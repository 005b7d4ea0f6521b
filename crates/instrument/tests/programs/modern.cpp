// C++ of every age up to C++20, with directives in all the places where it is hard to find the end.
#include <cstdio>
#include <vector>
#include <utility>
#include <initializer_list>
#include <stdexcept>

namespace {

struct Sum {
  int total = 0;
  void each(int n, int (*f)(int)) {
#pragma omp parallel for reduction(+ : total)
    for (int i = 0; i < n; ++i) total += f(i);
  }
  int operator()() const { return total; }
};

template <class T, int N = 2>
T in_template(std::vector<T> const &v) {
  T s{};
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(N) reduction(+ : s)
  for (std::size_t i = 0; i < v.size(); i++) {
    if (i % 2) continue;
    s += v[i];
  }
#pragma omp parallel for collapse(2) reduction(+ : s)
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) s += static_cast<T>(i * j);
  return s;
}

int in_clauses(int n) {
  int s = 0;
#pragma omp parallel for if ([&] { return n > 3; }()) num_threads([](int x) { return x; }(2)) reduction(+ : s)
  for (int i = 0; i < n; i++) s += i;
#pragma omp parallel num_threads((std::pair<int, int>{2, 1}.first))
#pragma omp critical
  s += std::vector<int>{1, 2}[0] * 0;
  return s;
}

int braces(int n) {
  int s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; i++) s += std::initializer_list<int>{i, i}.size() > 1 ? i : 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; i++)
    for (int k : {1, 2}) s += k;
  auto work = [&s](int k) {
#pragma omp parallel
#pragma omp single
    s += k;
  };
  work(3);
#pragma omp parallel
#pragma omp master
  [&] { s += 1; }();
  const char *raw = R"x(#pragma omp parallel { " )x";
#pragma omp parallel
#pragma omp single
  s += raw[0] == '#' ? 1'0 : 0;
  return s;
}

int exceptions(int n) {
  int s = 0;
#pragma omp parallel
  {
    try {
#pragma omp critical
      {
        try {
          if (n > 2) throw std::runtime_error("x");
        } catch (std::exception const &) {
          s = 1;
        }
      }
    } catch (...) {
    }
  }
#pragma omp parallel
#pragma omp single
  try { throw n; } catch (int x) { s += x; }
  return s;
}

int initialisers(std::vector<int> &v) {
  int s = 0;
#pragma omp parallel for reduction(+ : s)
  for (auto &x : v) s += x;
#pragma omp parallel
#pragma omp single
  for (auto n = 2; auto x : v) s += n * x;
#pragma omp parallel
#pragma omp single
  if (auto [a, b] = std::pair{1, 2}; a < b) s += a;
  else s += b;
#pragma omp parallel
#pragma omp single
  if constexpr (sizeof(int) == 4) s += 1;
#pragma omp parallel
#pragma omp single
  switch (int k = s; k) { case 0: break; default: s++; }
#pragma omp parallel
#pragma omp single
  [[maybe_unused]] int unused = s;
#pragma omp parallel
#pragma omp single
  while (int left = s % 3) s += left;
  return s;
}

template <class T> concept Number = requires(T t) { t + t; };

template <Number T>
T constrained(T n) {
  T s = 0;
#pragma omp parallel for reduction(+ : s) schedule(dynamic)
  for (T i = 0; i < n; i++) [[likely]] { s += i; }
  return s;
}

int attributes(int n) {
  int s = 0;
  [[omp::directive(parallel for reduction(+ : s))]]
  for (int i = 0; i < n; i++) s += i;
  [[omp::sequence(directive(parallel), directive(single))]] s++;
  [[omp::sequence(omp::directive(parallel), omp::directive(master))]] { s++; }
  if (n) [[using omp : directive(parallel)]] { [[omp::directive(barrier)]]; [[omp::directive(critical)]] { s += 0; } }
  else s--;
  return s;
}

}

int main() {
  std::vector<int> v(10, 1);
  Sum sum;
  sum.each(10, [](int i) { return i; });
  std::printf("%d %d %d %d %d %d %d %d\n", sum(), in_template(v), in_clauses(10), braces(5), exceptions(3),
              initialisers(v), constrained(10), attributes(5));
}
