/* The best scores of all pairs of sequences, aligned from end to end with affine costs of gaps: a task
   for each pair, without a cut-off since they are all of one size. */
#include "kernel.h"

#define LETTERS 20
#define MATCH 5
#define OTHER (-3)
#define GAP_OPENS 10
#define GAP_EXTENDS 1
#define NEVER (-(1 << 28))

static int count, length;

static int larger(int a, int b)
{
  return a > b ? a : b;
}

/* The score of the best alignment: rows of the table one by one. `ends` holds the best score of each
   column, `gaps` the best with a gap in the second sequence. */
static int score(const char *a, const char *b)
{
  int *ends = malloc(2 * (size_t)(length + 1) * sizeof *ends), *gaps = ends + length + 1;
  ends[0] = 0;
  gaps[0] = NEVER;
  for (int j = 1; j <= length; j++) {
    ends[j] = -GAP_OPENS - j * GAP_EXTENDS;
    gaps[j] = NEVER;
  }
  for (int i = 1; i <= length; i++) {
    int diagonal = ends[0], gap = NEVER;
    ends[0] = -GAP_OPENS - i * GAP_EXTENDS;
    for (int j = 1; j <= length; j++) {
      int pair = diagonal + (a[i - 1] == b[j - 1] ? MATCH : OTHER);
      gap = larger(gap, ends[j - 1] - GAP_OPENS) - GAP_EXTENDS;
      gaps[j] = larger(gaps[j], ends[j] - GAP_OPENS) - GAP_EXTENDS;
      diagonal = ends[j];
      ends[j] = larger(pair, larger(gap, gaps[j]));
    }
  }
  int best = ends[length];
  free(ends);
  return best;
}

int main(int argc, char **argv)
{
  count = (int)size_or(argc, argv, 12);
  length = argc > 2 ? atoi(argv[2]) : 60;
  char *letters = malloc((size_t)count * (size_t)length);
  int *scores = calloc((size_t)count * (size_t)count, sizeof *scores);
  unsigned state = 1;
  for (long i = 0; i < (long)count * length; i++) {
    state = state * 1664525u + 1013904223u;
    /* Relatives of the first sequence: two of three letters are its own. */
    int other = (int)(state >> 16) % LETTERS, changed = (state >> 12) % 3 == 0;
    letters[i] = (char)(i < length || changed ? other : letters[i % length]);
  }
  double begin = now_s();
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < count; i++)
    for (int j = i; j < count; j++) {
#pragma omp task untied firstprivate(i, j) shared(scores, letters)
      scores[i * count + j] = score(letters + (long)i * length, letters + (long)j * length);
    }
  double seconds = now_s() - begin;
  long sum = 0;
  int holds = 1;
  for (int i = 0; i < count; i++) {
    holds &= scores[i * count + i] == MATCH * length;
    for (int j = i; j < count; j++)
      sum += scores[i * count + j];
  }
  /* Either one may come first. */
  holds &= scores[count - 1] == score(letters + (long)(count - 1) * length, letters);
  printf("%d sequences, sum of scores %ld\n", count, sum);
  free(letters);
  free(scores);
  return finish(holds, seconds);
}
