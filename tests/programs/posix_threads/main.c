#include <pthread.h>
#include <stdio.h>

/* Two threads of the user open the same region at the same time, each with a team of its own. */
static void *work(void *argument)
{
  long *sum = argument;
  for (int repeat = 0; repeat < 3; repeat++) {
    long part = 0;
#pragma omp parallel for reduction(+ : part)
    for (int i = 0; i < 100; i++)
      part += i;
#pragma omp critical
    *sum += part;
  }
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  long sum[3] = {0, 0, 0};
  for (int i = 0; i < 2; i++)
    if (pthread_create(&thread[i], NULL, work, &sum[i]) != 0)
      return 1;
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  work(&sum[2]);
  printf("%ld %ld %ld\n", sum[0], sum[1], sum[2]);
  return 0;
}
