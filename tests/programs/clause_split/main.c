#include <omp.h>
#include <stdio.h>

static int asked;

static int team_size(void)
{
  asked++;
  return 2;
}

/* Combined constructs whose clauses must reach the right half, and be evaluated once. */
int main(void)
{
  int first = 3, both = 7, last = 0, sum = 0, product = 1, a[12], order = 0, ordered_ok = 1;
  int total[2] = {0, 0};

#pragma omp parallel for num_threads(team_size()) if (parallel : asked >= 0) firstprivate(first) \
    firstprivate(both) lastprivate(both, last) reduction(+ : sum) reduction(* : product)         \
    schedule(static, 2) proc_bind(close)
  for (int i = 0; i < 12; i++) {
    a[i] = first + i;
    sum += a[i];
    product *= i == 4 ? 2 : 1;
    last = i;
    if (i == 11)
      both = 70;
  }

#pragma omp parallel for ordered(1) collapse(1) schedule(dynamic) shared(order, ordered_ok)
  for (int i = 0; i < 6; i++) {
#pragma omp ordered depend(sink : i - 1)
    ordered_ok &= order == i;
    order++;
#pragma omp ordered depend(source)
  }

#pragma omp parallel for reduction(+ : total[0 : 2]) private(first) default(shared)
  for (int i = 0; i < 12; i++) {
    first = i & 1;
    total[first] += a[i];
  }

#pragma omp parallel sections lastprivate(last) if (0)
  {
#pragma omp section
    last = 1;
#pragma omp section
    last = 2;
  }

#pragma omp parallel for simd reduction(max : last) linear(order : 1) if (simd : 1) schedule(static)
  for (int i = 0; i < 12; i++) {
    last = a[i] > last ? a[i] : last;
    order++;
  }

  printf("%d %d %d %d %d %d\n", asked, both, last, sum, product, order);
  printf("%d %d %d\n", ordered_ok, total[0], total[1]);
  return 0;
}
