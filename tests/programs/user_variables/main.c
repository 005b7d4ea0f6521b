#include <stdio.h>

/* User regions that name a variable, nest, recur, end in several places and are switched off. */
static int depth;

static int search(int wanted)
{
#pragma pomp inst begin(search, wanted)
  for (int i = 0; i < 10; i++)
    if (i == wanted) {
#pragma pomp inst altend(search)
      return i;
    }
#pragma pomp inst end(search)
  return -1;
}

static void descend(int levels)
{
#pragma pomp inst begin(descend, depth)
  depth++;
  if (levels > 1)
    descend(levels - 1);
#pragma pomp inst end(descend)
}

int main(void)
{
  struct { double values[2]; } state = {{1.0, 2.0}};
  double *pointer = state.values;
  int found = 0;
#pragma pomp inst init
  for (int step = 0; step < 3; step++) {
#pragma pomp inst begin(step, step)
    found += search(4 * step);
#pragma pomp inst end(step)
  }
#pragma omp parallel num_threads(2) default(none) shared(state)
  {
#pragma pomp inst begin(in_team, state.values[1])
#pragma pomp inst begin(inner)
#pragma pomp inst end(inner)
#pragma pomp inst end(in_team)
  }
#pragma pomp inst begin(pointed, *pointer)
  descend(3);
#pragma pomp inst end(pointed)
#pragma pomp inst off
  search(1);
#pragma pomp inst on
#pragma pomp inst finalize
  search(1); /* behind the end of the measurement */
  printf("%d %d\n", found, depth);
  return 0;
}
