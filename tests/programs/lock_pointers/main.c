#include <omp.h>
#include <stdio.h>

/* No call names a routine directly: rewriting of the text alone sees none of them. */
struct lock_api {
  void (*init)(omp_lock_t *);
  void (*set)(omp_lock_t *);
  void (*unset)(omp_lock_t *);
  int (*test)(omp_lock_t *);
  void (*destroy)(omp_lock_t *);
};

static const struct lock_api api = {omp_init_lock, omp_set_lock, omp_unset_lock, omp_test_lock,
                                    omp_destroy_lock};

static void twice(void (*action)(omp_nest_lock_t *), omp_nest_lock_t *lock)
{
  action(lock);
  action(lock);
}

int main(void)
{
  omp_lock_t lock;
  omp_nest_lock_t nest;
  int sum = 0, depth = 0;
  api.init(&lock);
  omp_init_nest_lock(&nest);
#pragma omp parallel
  {
    for (int i = 0; i < 3; i++) {
      api.set(&lock);
      sum++;
      api.unset(&lock);
    }
    twice(omp_set_nest_lock, &nest);
    depth = omp_test_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
    twice(omp_unset_nest_lock, &nest);
  }
  int taken = api.test(&lock);
  int refused = api.test(&lock);
  api.unset(&lock);
  api.destroy(&lock);
  omp_destroy_nest_lock(&nest);
  printf("%d %d %d %d\n", sum / omp_get_max_threads(), depth, taken, refused);
  return 0;
}
