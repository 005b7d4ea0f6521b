#include <stdio.h>

/* Taskloops: how many tasks come of them, and which iterations begin a new one. */
#define N 12

static int hits[N * N];

static void hit(int i)
{
#pragma omp atomic
  hits[i]++;
}

/* Without a team around it, each task is still one. */
static void orphaned(int n)
{
#pragma omp taskloop num_tasks(3) firstprivate(n)
  for (int i = 0; i < n; i++) {
    if (i % 2)
      continue;
    hit(i);
  }
}

static int shapes(void)
{
  int sum = 0, last = 0, late = 0;
#pragma omp taskloop collapse(2) num_tasks(6)
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      hit(i * N + j);

#pragma omp taskloop nogroup grainsize(4) default(none) shared(late)
  for (int i = N; i > 0; i--) {
#pragma omp atomic
    late += i;
  }
#pragma omp taskwait

#pragma omp taskloop reduction(+ : sum) lastprivate(last) num_tasks(4)
  for (int i = 0; i < N; i += 3) {
    sum += i;
    last = i;
  }

  /* More tasks asked for than there are iterations. */
#pragma omp taskloop num_tasks(50) untied
  for (int i = 0; i < 5; i++)
    hit(i);

  /* No iteration, no task. */
#pragma omp taskloop
  for (int i = N; i < N; i++)
    hit(i);
  return sum + last + late;
}

static void nested(void)
{
#pragma omp taskloop num_tasks(2)
  for (int i = 0; i < 2; i++) {
#pragma omp taskloop num_tasks(3)
    for (int j = 0; j < 6; j++) {
#pragma omp task firstprivate(j)
      hit(j);
    }
  }
}

int main(void)
{
  int result = 0, reduced = 0, total = 0;
  orphaned(N);
#pragma omp parallel
#pragma omp single
  {
    result = shapes();
    nested();
    orphaned(4);
  }
#pragma omp parallel num_threads(2)
#pragma omp master taskloop num_tasks(3) shared(reduced)
  for (int i = 0; i < 6; i++) {
#pragma omp atomic
    reduced += i;
  }
  for (int i = 0; i < N * N; i++)
    total += hits[i];
  printf("%d %d %d\n", result, reduced, total);
  return 0;
}
