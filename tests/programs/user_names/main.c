#include <stdio.h>

/* Names that a tool might want for itself. */
struct ompregdescr {
  int line;
};

typedef struct ompregdescr OMPRegDescr;

static OMPRegDescr pomp_d1 = {10};

static int pomp_1(void) { return pomp_d1.line; }

static int pomp_for_enter = 1, pomp_team = 2, pomp_task = 3;

int main(void)
{
  int pomp_p1 = 4, pomp_p2 = 5, pomp_t3 = 6, pomp_c7 = 7, pomp2_num_threads = 2;
  int sum = 0;
#pragma omp parallel num_threads(pomp2_num_threads) reduction(+ : sum) firstprivate(pomp_p1) \
    private(pomp_p2)
  {
    pomp_p2 = 1;
#pragma omp for
    for (int pomp_d2 = 0; pomp_d2 < 4; pomp_d2++)
      sum += pomp_1() + pomp_p1 + pomp_p2 + pomp_d2;
#pragma omp single
    {
#pragma omp task firstprivate(pomp_t3) shared(pomp_c7)
      pomp_c7 += pomp_t3;
    }
  }
  printf("%d %d %d %d\n", sum, pomp_c7, pomp_p2, pomp_for_enter + pomp_team + pomp_task);
  return 0;
}
