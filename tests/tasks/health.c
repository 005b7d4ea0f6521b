/* Patients of a tree of villages, day by day: who falls ill waits for a place in the village's
   hospital, is treated there, or is sent to the next larger place. A task for each village below
   another one, each day. */
#include "kernel.h"

#define BRANCHES 4
#define CUTOFF 2

typedef struct Village {
  struct Village *below;
  int level;
  unsigned state;
  long healthy, waiting, treated, sent, cured;
  int places;
} Village;

static unsigned random_below(Village *village, unsigned limit)
{
  village->state = village->state * 1664525u + 1013904223u;
  return (village->state >> 16) % limit;
}

static void found(Village *village, int level, unsigned seed)
{
  *village = (Village){.level = level, .state = seed, .healthy = 40, .places = 2 << level};
  if (level == 0)
    return;
  village->below = calloc(BRANCHES, sizeof *village->below);
  for (unsigned i = 0; i < BRANCHES; i++)
    found(&village->below[i], level - 1, seed * 31 + i + 1);
}

/* One day of a village, after that of those below: their patients come here. */
static void day(Village *village, int is_top)
{
  for (int i = 0; village->below && i < BRANCHES; i++) {
    village->waiting += village->below[i].sent;
    village->below[i].sent = 0;
  }
  long ill = 0, leaving = 0;
  for (long i = 0; i < village->healthy; i++)
    ill += random_below(village, 8) == 0;
  village->healthy -= ill;
  village->waiting += ill;
  for (long i = 0; i < village->treated; i++)
    leaving += random_below(village, 3) == 0;
  village->treated -= leaving;
  village->healthy += leaving;
  village->cured += leaving;
  while (village->waiting > 0 && village->treated < village->places) {
    village->waiting--;
    village->treated++;
  }
  long all = village->waiting;
  for (long i = 0; !is_top && i < all; i++)
    if (random_below(village, 4) == 0) {
      village->waiting--;
      village->sent++;
    }
}

#ifdef MANUAL
static void serial(Village *village)
{
  for (int i = 0; village->below && i < BRANCHES; i++)
    serial(&village->below[i]);
  day(village, 0);
}
#endif

static void simulate(Village *village, int depth)
{
#ifdef MANUAL
  if (depth >= CUTOFF) {
    serial(village);
    return;
  }
#endif
  if (village->below) {
    for (int i = 0; i < BRANCHES; i++) {
#if defined(IF_CLAUSE)
#pragma omp task untied firstprivate(i) if (depth < CUTOFF)
#elif defined(FINAL)
#pragma omp task untied firstprivate(i) final(depth >= CUTOFF)
#else
#pragma omp task untied firstprivate(i)
#endif
      simulate(&village->below[i], depth + 1);
    }
#pragma omp taskwait
  }
  day(village, depth == 0);
}

/* Sums of the whole tree, which is torn down. */
static void add_up(Village *village, long *people, long *cured, long *villages)
{
  *people += village->healthy + village->waiting + village->treated + village->sent;
  *cured += village->cured;
  *villages += 1;
  for (int i = 0; village->below && i < BRANCHES; i++)
    add_up(&village->below[i], people, cured, villages);
  free(village->below);
}

int main(int argc, char **argv)
{
  int levels = (int)size_or(argc, argv, 3), days = argc > 2 ? atoi(argv[2]) : 10;
  Village top;
  found(&top, levels, 1);
  double begin = now_s();
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < days; i++)
    simulate(&top, 0);
  double seconds = now_s() - begin;
  long people = 0, cured = 0, villages = 0;
  add_up(&top, &people, &cured, &villages);
  printf("%ld villages, %ld people, %ld cured\n", villages, people, cured);
  return finish(people == 40 * villages && cured > 0, seconds);
}
