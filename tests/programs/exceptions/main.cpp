#include <cstdio>
#include <stdexcept>

/* Thrown out of functions, caught inside the construct: legal, and every region is left once. */
static int checked(int value)
{
  if (value % 2)
    throw std::runtime_error("odd");
  return value;
}

static int guarded(int value)
{
  try {
    return checked(value);
  } catch (const std::exception &) {
    return -1;
  }
}

int main()
{
  int even = 0, odd = 0, tasks = 0, sections = 0;
#pragma omp parallel reduction(+ : even, odd)
  {
#pragma omp for
    for (int i = 0; i < 10; i++)
      try {
        even += checked(i) >= 0;
      } catch (const std::runtime_error &) {
        odd++;
      }
#pragma omp critical
    try {
      checked(1);
    } catch (...) {
      odd += 0;
    }
#pragma omp single
    {
      for (int i = 0; i < 6; i++) {
#pragma omp task shared(tasks)
        try {
          throw i;
        } catch (int caught) {
#pragma omp atomic
          tasks += caught;
        }
      }
    }
#pragma omp sections nowait
    {
#pragma omp section
      try {
        checked(3);
      } catch (...) {
#pragma omp atomic
        sections++;
      }
#pragma omp section
      {
#pragma omp atomic
        sections += guarded(4);
      }
    }
#pragma omp master
    try {
      checked(5);
    } catch (...) {
    }
  }
  std::printf("%d %d %d %d\n", even, odd, tasks, sections);
  return 0;
}
