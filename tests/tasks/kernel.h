/* What all task programs share: their size, their time, and what they say at their end. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_s(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The first argument, or the size of the tests. */
static long size_or(int argc, char **argv, long of_tests)
{
  return argc > 1 ? atol(argv[1]) : of_tests;
}

/* Says whether the program's own check holds, and the time of its parallel part. */
static int finish(int holds, double seconds)
{
  puts(holds ? "holds" : "WRONG");
  printf("seconds %.6f\n", seconds);
  return !holds;
}
