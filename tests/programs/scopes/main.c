#include <stdio.h>

/* Scope: all threads of the team run it, and it may reduce over them. */
static int members;

static int counted(void)
{
  int total = 0;
#pragma omp parallel num_threads(3)
  {
#pragma omp scope reduction(+ : members)
    members++;
#pragma omp single
    total = members;
  }
  return total;
}

int main(void)
{
  int sum = 0, largest = 0, private_one = 5;
#pragma omp parallel num_threads(4)
  {
#pragma omp scope reduction(+ : sum) reduction(max : largest) nowait
    {
      sum += 1;
      largest = 2;
#pragma omp critical
      {
      }
    }
#pragma omp barrier
#pragma omp scope private(private_one)
    {
      private_one = 1;
      /* Binds to the team's threads, like a loop of its own. */
#pragma omp for reduction(+ : sum)
      for (int i = 0; i < 10; i++)
        sum += private_one;
    }
  }
  printf("%d %d %d %d\n", counted(), sum, largest, private_one);
  return 0;
}
