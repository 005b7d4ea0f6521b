#include <stdio.h>
#include <string.h>
#include "beside.h"
#include "parts/scale.h"

static const int values[] = {
#include "values.inc"
};

/* The names that a rewritten copy in another folder would change. */
static void print_place(const char *file, int line)
{
  const char *slash = strrchr(file, '/');
  printf("%s:%d\n", slash ? slash + 1 : file, line);
}

int main(void)
{
  int sum = 0;
  print_place(__FILE__, __LINE__);
#pragma omp parallel for num_threads(THREADS) reduction(+ : sum)
  for (int i = 0; i < 8; i++)
    sum += SCALE(values[i]);
  print_place(__BASE_FILE__, __LINE__);
  printf("%d %d %d\n", sum, __LINE__, strcmp(__FILE__, __BASE_FILE__) == 0);
  print_place(where, __LINE__);
  return 0;
}
