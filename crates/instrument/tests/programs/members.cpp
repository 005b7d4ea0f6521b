// A reduction into a member, in a template: clang 19 adds to the member itself, not to a thread's copy
// of it, so its plain program loses additions now and then.
#include <cstdio>

struct Sum {
  int total;
  template <class F>
  void each(int n, F f) {
#pragma omp parallel for reduction(+ : total)
    for (int i = 0; i < n; ++i) total += f(i);
  }
};

struct Same {
  int operator()(int i) const { return i; }
};

int main() {
  Sum sum = {0};
  sum.each(10, Same());
  std::printf("%d\n", sum.total);
}
