// Coroutines are left alone with --functions: their bodies are suspended, destroyed early and
// resumed by other threads. What they call is measured, and so is who resumes them.
#include <coroutine>
#include <cstdio>
#include <stdexcept>
#include <utility>
#include <vector>

template <typename T>
struct Generator {
  struct promise_type {
    T value{};
    Generator get_return_object() { return Generator{Handle::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(T next) {
      value = next;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { throw; }
  };
  using Handle = std::coroutine_handle<promise_type>;
  explicit Generator(Handle own) : handle(own) {}
  Generator(Generator &&other) noexcept : handle(std::exchange(other.handle, {})) {}
  ~Generator() {
    if (handle) handle.destroy();
  }
  bool next() {
    handle.resume();
    return !handle.done();
  }
  T value() const { return handle.promise().value; }

 private:
  Handle handle;
};

#define EMIT(x) co_yield x

static int doubled(int x) { return 2 * x; }

static Generator<int> count(int from, int to) {
  for (int i = from; i < to; i++) co_yield doubled(i);
}

static Generator<int> by_macro(int to) {
  for (int i = 0; i < to; i++) EMIT(i);
}

template <typename T>
static Generator<T> failing(T first) {
  co_yield first;
  throw std::runtime_error("in a coroutine");
}

consteval int squared(int x) { return x * x; }
static int table[squared(2)];

static constexpr int host_or_constant(int x) {
  if (std::is_constant_evaluated()) return x;
  return x + 1;
}

// A function with a coroutine in it is none itself.
static int sum_of(int n) {
  auto numbers = [](int last) -> Generator<int> {
    auto next = [](int x) { return x + 1; };
    for (int i = 0; i < last; i = next(i)) co_yield i;
  };
  auto all = numbers(n);
  int sum = 0;
  while (all.next()) sum += all.value();
  return sum;
}

static void resume_in_team(std::vector<Generator<int>> &all) {
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < 4; i++) all[i].next();
}

int main() {
  std::vector<Generator<int>> all;
  all.reserve(4);
  for (int i = 0; i < 4; i++) all.push_back(count(i, 10));
  int sum = 0;
  for (auto &one : all) {
    one.next();
    sum += one.value();
  }
  resume_in_team(all);
  for (auto &one : all) sum += one.value();
  all.clear();
  auto some = by_macro(3);
  while (some.next()) sum += some.value();
  auto broken = failing(5L);
  broken.next();
  try {
    broken.next();
  } catch (const std::runtime_error &error) {
    std::puts(error.what());
  }
  table[host_or_constant(2)] = squared(5);
  static_assert(host_or_constant(2) == 2);
  std::printf("%d %d %d\n", sum, sum_of(4), table[3]);
}
