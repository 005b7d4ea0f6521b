/* The nodes of a tree that nobody can cut into equal parts: how many children a node has follows from
   a hash of its parent's and of its own place. A task for each node. */
#include "kernel.h"
#include <stdint.h>

/* A node has this many children or none, and on average a little less than one. */
#define CHILDREN 4
#define CUTOFF 6

typedef struct {
  long nodes, leaves;
} Sums;

/* The finalizer of a 64-bit hash: every bit of the result depends on all bits. */
static uint64_t mixed(uint64_t bits)
{
  bits = (bits ^ bits >> 33) * 0xff51afd7ed558ccdu;
  bits = (bits ^ bits >> 33) * 0xc4ceb9fe1a85ec53u;
  return bits ^ bits >> 33;
}

static int has_children(uint64_t node)
{
  return mixed(node) % 1000 < 245;
}

static uint64_t child(uint64_t node, int number)
{
  return mixed(node + 0x9e3779b97f4a7c15u * (uint64_t)(number + 1));
}

#ifdef MANUAL
static Sums serial(uint64_t node)
{
  Sums sums = {1, 1};
  if (!has_children(node))
    return sums;
  sums.leaves = 0;
  for (int i = 0; i < CHILDREN; i++) {
    Sums of = serial(child(node, i));
    sums.nodes += of.nodes;
    sums.leaves += of.leaves;
  }
  return sums;
}
#endif

static Sums search(uint64_t node, int depth)
{
  Sums parts[CHILDREN], sums = {1, 1};
  if (!has_children(node))
    return sums;
#ifdef MANUAL
  if (depth >= CUTOFF)
    return serial(node);
#endif
  sums.leaves = 0;
  for (int i = 0; i < CHILDREN; i++) {
#if defined(IF_CLAUSE)
#pragma omp task untied firstprivate(i) shared(parts) if (depth < CUTOFF)
#elif defined(FINAL)
#pragma omp task untied firstprivate(i) shared(parts) final(depth >= CUTOFF)
#else
#pragma omp task untied firstprivate(i) shared(parts)
#endif
    parts[i] = search(child(node, i), depth + 1);
  }
#pragma omp taskwait
  for (int i = 0; i < CHILDREN; i++) {
    sums.nodes += parts[i].nodes;
    sums.leaves += parts[i].leaves;
  }
  return sums;
}

int main(int argc, char **argv)
{
  /* The root has as many children as wanted, each with a tree of its own. */
  int trees = (int)size_or(argc, argv, 60);
  Sums *parts = malloc((size_t)trees * sizeof *parts), sums = {1, 0};
  double begin = now_s();
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < trees; i++) {
#pragma omp task untied firstprivate(i) shared(parts)
    parts[i] = search(child(1, i), 0);
  }
  double seconds = now_s() - begin;
  for (int i = 0; i < trees; i++) {
    sums.nodes += parts[i].nodes;
    sums.leaves += parts[i].leaves;
  }
  free(parts);
  printf("%ld nodes, %ld leaves\n", sums.nodes, sums.leaves);
  /* Each inner node but the root has four children. */
  long inner = sums.nodes - sums.leaves - 1;
  return finish(sums.nodes == 1 + trees + CHILDREN * inner, seconds);
}
