#include <omp.h>
#include <stdio.h>

/* Tasks that are complete when their events are fulfilled: before their bodies begin, inside of
   them, and by another task. */
int main(void)
{
  int done = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    omp_event_handle_t before, inside, other;
#pragma omp task detach(before) shared(done)
    {
#pragma omp atomic
      done++;
    }
    omp_fulfill_event(before);
#pragma omp task detach(inside) shared(done)
    {
#pragma omp atomic
      done++;
      omp_fulfill_event(inside);
    }
#pragma omp task detach(other) depend(out : other) shared(done)
    {
#pragma omp atomic
      done++;
    }
#pragma omp task firstprivate(other)
    omp_fulfill_event(other);
#pragma omp taskwait
  }
  printf("%d\n", done);
  return 0;
}
