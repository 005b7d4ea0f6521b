#include <stdio.h>

/* The newer constructs as the bodies of other statements, one inside another without braces. */
static int total;

static void add(int value)
{
#pragma omp atomic
  total += value;
}

static int choose(int kind)
{
  switch (kind) {
  case 0:
#pragma omp masked
    add(1);
    break;
  case 1:
#pragma omp taskgroup
#pragma omp task
    add(10);
    break;
  default:
#pragma omp taskloop num_tasks(2)
    for (int i = 0; i < 2; i++)
      add(100);
  }
  return kind;
}

int main(void)
{
  int rounds = 0;
  for (int kind = 0; kind < 3; kind++)
    choose(kind);
#pragma omp parallel num_threads(2)
  {
    if (rounds)
#pragma omp masked
      add(1000);
    else
#pragma omp masked filter(1)
      for (int i = 0; i < 3; i++)
        if (i != 1)
          add(1000);
        else
#pragma omp taskgroup
          ;
#pragma omp for ordered
    for (int i = 0; i < 4; i++)
      if (i % 2)
#pragma omp ordered
        if (i == 3)
          add(10000);
        else
          add(20000);
      else {
#pragma omp flush
        continue;
      }
#pragma omp masked
    do
#pragma omp task shared(rounds)
#pragma omp target data map(tofrom : rounds) if (0)
      add(100000);
    while (++rounds < 3);
  }
#pragma omp teams num_teams(1)
#pragma omp distribute
  for (int i = 0; i < 2; i++)
#pragma omp parallel num_threads(1)
    add(1000000);
  printf("%d\n", total);
  return 0;
}
