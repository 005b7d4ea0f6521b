#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

/* Clean under many warnings that are errors here, and dependent on _GNU_SOURCE being first. */
static int digits(const char *text)
{
  int found = 0;
  const size_t length = strlen(text);
#pragma omp parallel for reduction(+ : found) schedule(static)
  for (size_t i = 0; i < length; i++)
    if (text[i] >= '0' && text[i] <= '9')
      found += 1;
  return found;
}

int main(void)
{
  const char *text = "a1b22c333";
  const char *end = strchrnul(text, 'x');
  long inside = 0, passes = 0;
#pragma omp parallel
  {
#pragma omp single
    inside = 1;
#pragma omp parallel num_threads(1)
    {
#pragma omp critical
      passes += 1;
    }
#pragma omp sections
    {
#pragma omp section
      {
#pragma omp task shared(inside)
        {
#pragma omp atomic
          inside += 2;
        }
      }
    }
  }
  printf("%d %ld %d %s\n", digits(text), inside, passes > 0, *end ? "more" : "end");
  return 0;
}
