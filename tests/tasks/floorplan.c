/* The smallest rectangle that holds all cells, each of which has two shapes: branch and bound. A cell
   stands at the right or at the lower corner of one that is there. A task for each place that may
   lead to something smaller than the best so far. */
#include "kernel.h"

#define CELLS_MAX 12
#define CUTOFF 2

typedef struct {
  int x, y, width, height;
} Rectangle;

/* What is placed; each task has its own. */
typedef struct {
  Rectangle cells[CELLS_MAX];
  int width, height;
} Plan;

static int cells, best;
static Plan best_plan;
static Rectangle shapes[CELLS_MAX];

static int overlap(const Rectangle *a, const Rectangle *b)
{
  return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height &&
         b->y < a->y + a->height;
}

/* Puts the cell there if it is free; returns the area, or 0. */
static int put(Plan *plan, int cell, int turned, int corner)
{
  Rectangle new = {0, 0, shapes[cell].width, shapes[cell].height};
  if (turned) {
    new.width = shapes[cell].height;
    new.height = shapes[cell].width;
  }
  if (cell > 0) {
    const Rectangle *other = &plan->cells[corner / 2];
    new.x = other->x + (corner % 2 ? 0 : other->width);
    new.y = other->y + (corner % 2 ? other->height : 0);
  }
  for (int other = 0; other < cell; other++)
    if (overlap(&new, &plan->cells[other]))
      return 0;
  plan->cells[cell] = new;
  if (new.x + new.width > plan->width)
    plan->width = new.x + new.width;
  if (new.y + new.height > plan->height)
    plan->height = new.y + new.height;
  return plan->width * plan->height;
}

static int best_so_far(void)
{
  int area;
#pragma omp atomic read
  area = best;
  return area;
}

static void keep(const Plan *plan, int area)
{
#pragma omp critical
  if (area < best) {
#pragma omp atomic write
    best = area;
    best_plan = *plan;
  }
}

#ifdef MANUAL
static void serial(const Plan *plan, int cell)
{
  for (int choice = 0; choice < (cell ? 4 * cell : 2); choice++) {
    Plan next = *plan;
    int area = put(&next, cell, choice % 2, choice / 2);
    if (area == 0 || area >= best_so_far())
      continue;
    if (cell + 1 == cells)
      keep(&next, area);
    else
      serial(&next, cell + 1);
  }
}
#endif

static void search(const Plan *plan, int cell)
{
#ifdef MANUAL
  if (cell >= CUTOFF) {
    serial(plan, cell);
    return;
  }
#endif
  for (int choice = 0; choice < (cell ? 4 * cell : 2); choice++) {
#if defined(IF_CLAUSE)
#pragma omp task untied firstprivate(choice, cell) if (cell < CUTOFF)
#elif defined(FINAL)
#pragma omp task untied firstprivate(choice, cell) final(cell >= CUTOFF)
#else
#pragma omp task untied firstprivate(choice, cell)
#endif
    {
      Plan next = *plan;
      int area = put(&next, cell, choice % 2, choice / 2);
      if (area > 0 && area < best_so_far()) {
        if (cell + 1 == cells)
          keep(&next, area);
        else
          search(&next, cell + 1);
      }
    }
  }
#pragma omp taskwait
}

int main(int argc, char **argv)
{
  /* The smallest areas, by exhaustion. */
  static const int known[] = {0, 24, 54, 60, 80, 104, 108, 114};
  cells = (int)size_or(argc, argv, 5);
  if (cells < 1 || cells > CELLS_MAX)
    return 2;
  unsigned state = 3;
  int total = 0, placed = 0;
  for (int cell = 0; cell < cells; cell++) {
    state = state * 1664525u + 1013904223u;
    shapes[cell].width = 1 + (int)(state >> 28) % 9;
    shapes[cell].height = 1 + (int)(state >> 20) % 7;
    total += shapes[cell].width * shapes[cell].height;
  }
  Plan empty = {{{0, 0, 0, 0}}, 0, 0};
  best = 1 << 30;
  double begin = now_s();
#pragma omp parallel
#pragma omp single
  search(&empty, 0);
  double seconds = now_s() - begin;
  int holds = best >= total && best == best_plan.width * best_plan.height;
  for (int cell = 0; cell < cells; cell++) {
    const Rectangle *a = &best_plan.cells[cell];
    placed += a->width * a->height;
    holds &= a->x + a->width <= best_plan.width && a->y + a->height <= best_plan.height;
    for (int other = 0; other < cell; other++)
      holds &= !overlap(a, &best_plan.cells[other]);
  }
  if (cells < (int)(sizeof known / sizeof *known))
    holds &= best == known[cells];
  printf("%d cells of %d in %d\n", cells, total, best);
  return finish(holds && placed == total, seconds);
}
