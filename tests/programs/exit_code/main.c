#include <stdio.h>

static void __attribute__((destructor)) last_words(void) { printf("end\n"); }

/* The command's exit code is the tool's. */
int main(void)
{
  int sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 1; i <= 2; i++)
    sum += i;
  return sum;
}
