// Ends and threads that only C++ has.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <thread>
#include <unistd.h>
#include <vector>

// Two threads, three visits each.
static void work()
{
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 3; i++) {
#pragma omp critical(work)
    ;
  }
}

struct Teams {
  Teams()
  {
#pragma omp parallel num_threads(2)
    {
#pragma omp critical(constructed)
      ;
    }
  }
  ~Teams()
  {
#pragma omp parallel num_threads(2)
    {
#pragma omp critical(destroyed)
      ;
    }
  }
};

static Teams before_main;

static void last_words()
{
  if (write(1, "last words\n", 11) == 11)
    std::abort();
}

static void throw_in_region()
{
#pragma omp parallel num_threads(2)
  {
    int master = 0;
#pragma omp master
    master = 1;
    for (int i = 0; i < (master ? 5 : 7); i++) {
#pragma omp critical(inside)
      ;
    }
#pragma omp barrier
    if (!master)
      throw std::runtime_error("nobody catches it");
#pragma omp barrier
  }
}

static void thrown(int depth)
{
#pragma pomp inst begin(thrown)
  if (depth == 1)
    throw depth;
  thrown(depth - 1);
#pragma pomp inst end(thrown)
}

static void caught()
{
  for (int i = 0; i < 100; i++) {
#pragma pomp inst begin(around)
    try {
      thrown(3);
    } catch (int) {
    }
#pragma pomp inst end(around)
  }
}

static void threads()
{
  std::vector<std::thread> four;
  for (int i = 0; i < 4; i++)
    four.emplace_back([] {
      for (int j = 0; j < 50; j++)
        work();
    });
  for (std::thread &one : four)
    one.join();
}

int main(int count, char **words)
{
  const char *how = count > 1 ? words[1] : "";
  std::set_terminate(last_words);
  work();
  if (!std::strcmp(how, "throw"))
    throw std::runtime_error("nobody catches it");
  if (!std::strcmp(how, "throw-region"))
    throw_in_region();
  if (!std::strcmp(how, "caught"))
    caught();
  if (!std::strcmp(how, "threads"))
    threads();
  return 3;
}
