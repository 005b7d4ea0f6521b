// Bodies of every kind, strings and comments that look like braces.
#include <stdio.h>

#define EACH(i, n) for (int i = 0; i < (n); i++)
#define THREADS num_threads(2)

static int counter;

static void bump(const char *text) { counter += text[0] == '{' ? 1 : 2; }

int main(void) {
  int x = 0;
#pragma omp parallel THREADS
#pragma omp master
  do {
    x++;
  } while (x < 3);
#pragma omp parallel num_threads(1)
  while (x < 5) x++;
#pragma omp parallel num_threads(1)
  switch (x) {
  case '}': x = 0; break;
  case 5: x = 6; break;
  default: x = 7;
  }
#pragma omp parallel num_threads(1)
  EACH(i, 3) { x += i; }
#pragma omp parallel num_threads(1)
  EACH(i, 3) if (i == 2) x += i; else x += 1;
  if (x > 100)
#pragma omp parallel
    x = 0;
  else
    x++;
#pragma omp parallel num_threads(1) /* one { two
   lines */ if (x > 0) // three {
  { bump("{ } \" /*"); }
#pragma omp parallel for reduction(+ : x)
  for (int i = (int[]){0, 1}[0]; i < 8; i++) x += i; // behind
  _Pragma("omp parallel num_threads(1)") { _Pragma("omp critical") x++; } printf("%d\n", __LINE__);
#pragma omp parallel num_threads(1)
  {
  again:
    x++;
    if (x < 60) goto again;
  }
  printf("%d %d\n", x, counter);
  return 0;
}
