// What C++23 has: deducing this, static operators, subscripts of several indices, `if consteval`,
// lambdas without parentheses, assumptions, `#elifdef`, new literals and escapes.
#include <cstddef>
#include <cstdio>

namespace {

struct Grid {
  int cells[4][4];
  template <typename Self>
  auto &&operator[](this Self &&self, std::size_t row, std::size_t column) {
    return self.cells[row][column];
  }
  static int operator()(int x) { return x + 1; }
  template <typename Self>
  int sum(this Self &&self) {
    int total = 0;
#pragma omp parallel for reduction(+ : total) collapse(2)
    for (auto row = 0uz; row < 4; row++)
      for (auto column = 0uz; column < 4; column++) total += self[row, column];
    return total;
  }
};

constexpr int twice(int x) {
  if consteval {
    return 2 * x;
  } else {
    return x + x;
  }
}

#ifdef NO_SUCH_MACRO
#error "not defined"
#elifndef NO_SUCH_MACRO
#define CHOSEN 1
#endif

}  // namespace

int main() {
  Grid grid{};
#pragma omp parallel for
  for (int i = 0; i < 16; i++) {
    [[assume(i >= 0)]];
    grid[static_cast<std::size_t>(i / 4), static_cast<std::size_t>(i % 4)] = Grid{}(i);
  }
  int count = 0;
  auto add = [&count] mutable { return ++count; };
  auto fib = [](this auto &&self, int n) -> int { return n < 2 ? n : self(n - 1) + self(n - 2); };
#pragma omp parallel num_threads(2)
  {
#pragma omp critical
    add();
#pragma omp single
    {
      [[maybe_unused]] auto copy = auto(count);
    [[maybe_unused]] done:
    }
  }
  if (int extra = 0; extra == 1) goto end;
  std::printf("%d %d %d %d %s\n", grid.sum(), fib(7), twice(CHOSEN), count > 0, "\N{LATIN SMALL LETTER A}");
end:
}
