// User functions in C++: members, templates, exceptions, and what cannot be measured.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <vector>

namespace shop::detail { inline namespace v1 {

class Base {
 public:
  virtual ~Base() {}
  virtual int price(int count) const { return count; }
};

template <class T, int N = (3 > 2)>
class Item final : public Base {
 public:
  Item() : values{1, 2}, limit(3) {}
  explicit Item(int bound)
  try : values(), limit(check(bound)) {
    values.push_back(bound);
  } catch (const std::out_of_range &) {
    std::puts("caught in the constructor");
  }
  ~Item() override = default;
  Item(const Item &) = delete;
  bool operator()(int x) const noexcept { return x == limit; }
  bool operator!() const { return limit == 0; }
  template <typename U> auto scaled(U by) const -> decltype(by * 1.5) { return by * limit; }
  int price(int count) const override {
    struct Local {
      static int twice(int x) { return 2 * x; }
    };
    return Local::twice(count) + limit;
  }
  static constexpr int fixed(int x) { return x + 1; }

 private:
  static int check(int bound) {
    if (bound > 9) throw std::out_of_range("bound");
    return bound;
  }
  std::vector<T> values;
  int limit;
};

}}  // namespace shop::detail

using shop::detail::Item;

static int fail(int depth) {
  if (depth == 0) throw std::runtime_error("deep");
  return fail(depth - 1) + 1;
}

static std::function<int(int)> adder(int by) {
  return [by](int x) { return x + by; };
}

template <typename T>
  requires(sizeof(T) > 1)
static T largest(T a, T b) {
  return a > b ? a : b;
}

extern "C" int from_c(int x) { return x; }

#define DEFINE(name, value) \
  static int name() { return value; }
DEFINE(by_macro, 4)

constexpr int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
static_assert(factorial(4) == 24);
constexpr auto square = [](int x) { return x * x; };
static int table[square(2)];

static int count_if_above(const std::vector<int> &values, int bound) {
  return std::count_if(values.begin(), values.end(), [bound](int value) {
    auto above = [=] { return value > bound; };
    return above();
  });
}

int main() {
  int caught = 0;
  for (int i = 0; i < 3; i++) {
    try {
      fail(i);
    } catch (const std::exception &) {
      caught++;
    }
  }
  Item<int> first, second(7);
  try {
    Item<long> third(10);
  } catch (const std::out_of_range &) {
    caught += 10;
  }
  static_assert(Item<int>::fixed(1) == 2);
  caught += Item<int>::fixed(caught) > 99;
  std::printf("%d %d %d %.1f\n", caught, second(7), !first, second.scaled(2));
  std::printf("%d %d %ld %d\n", second.price(2), adder(1)(2), largest(3L, 4L), by_macro());
  std::printf("%s %d\n", R"({ " })", from_c(5));
  int sum = 0;
#pragma omp parallel reduction(+ : sum) num_threads(2)
  {
    sum += largest(1, 2);
  }
  std::printf("%d\n", sum > 1);
  std::printf("%d %d %d\n", factorial(caught % 5), square(caught), count_if_above({1, 2, 3}, 2));
  table[caught % 4] = 1;
}
