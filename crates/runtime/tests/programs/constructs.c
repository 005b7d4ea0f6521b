// Every construct a known number of times, ROUNDS times over.
#include "pomp.h"

static POMPExtension extension = {POMP_EXTENSION, ""};
#include <omp.h>
#include <stdio.h>

#define ROUNDS 20
#define REGION(id, name, sub, line) \
  static OMPRegDescr id = {name, sub, 3, "constructs.c", line, line, line + 5, line + 5, 0, (OMPRegDescr *)&extension}
REGION(parallel, "parallel", "", 10);
REGION(loop, "for", "", 20);
REGION(single, "single", "", 30);
REGION(critical, "critical", "sum", 40);
REGION(barrier, "barrier", "", 50);
REGION(sections, "sections", "", 60);
REGION(section, "section", "", 61);
REGION(master, "master", "", 70);
REGION(atomic, "atomic", "", 80);
REGION(work, "region", "work", 90);

static volatile double sink;
static void spin(int n) {
  POMP_Begin(&work, 0);
  double x = 0;
  for (int i = 0; i < n; i++) x += i * .5;
  sink = x;
  POMP_End(&work, 0);
}

int main(void) {
  long sum = 0, hits = 0;
  omp_lock_t lock;
  omp_nest_lock_t nest;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
  for (int round = 0; round < ROUNDS; round++) {
    long team;
    POMP_Parallel_fork(&parallel, &team);
#pragma omp parallel firstprivate(team)
    {
      POMP_Parallel_begin(&parallel, team);
      POMP_For_enter(&loop, -1);
#pragma omp for nowait
      for (int i = 0; i < 8; i++) {
        spin(i * 50);
        POMP_Critical_enter(&critical);
#pragma omp critical(sum)
        {
          POMP_Critical_begin(&critical);
          sum += i;
          POMP_Critical_end(&critical);
        }
        POMP_Critical_exit(&critical);
        omp_set_lock(&lock);
        hits++;
        omp_unset_lock(&lock);
      }
      POMP_Barrier_enter(&loop);
#pragma omp barrier
      POMP_Barrier_exit(&loop);
      POMP_For_exit(&loop);

      POMP_Single_enter(&single);
#pragma omp single nowait
      {
        POMP_Single_begin(&single);
        omp_set_nest_lock(&nest);
        omp_set_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
        POMP_Single_end(&single);
      }
      POMP_Barrier_enter(&single);
#pragma omp barrier
      POMP_Barrier_exit(&single);
      POMP_Single_exit(&single);

      POMP_Sections_enter(&sections);
#pragma omp sections nowait
      {
#pragma omp section
        {
          POMP_Section_begin(&section);
          spin(10);
          POMP_Section_end(&section);
        }
#pragma omp section
        {
          POMP_Section_begin(&section);
          spin(20);
          POMP_Section_end(&section);
        }
      }
      POMP_Barrier_enter(&sections);
#pragma omp barrier
      POMP_Barrier_exit(&sections);
      POMP_Sections_exit(&sections);

#pragma omp master
      {
        POMP_Master_begin(&master);
        spin(5);
        POMP_Master_end(&master);
      }
      POMP_Atomic_enter(&atomic);
#pragma omp atomic
      hits++;
      POMP_Atomic_exit(&atomic);
      POMP_Barrier_enter(&barrier);
#pragma omp barrier
      POMP_Barrier_exit(&barrier);
      POMP_Parallel_end(&parallel, team);
    }
    POMP_Parallel_join(&parallel, team);
  }
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest);
  printf("%ld\n", sum);
  return 0;
}
