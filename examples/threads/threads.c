/* Threads that take numbers from a queue, and one that keeps the mutex of the queue too long: it
   sorts the numbers while it has the mutex. With --balanced it sorts them before.

   threads [--balanced] [THREADS] [ROUNDS]: the output is the sum of all numbers. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUND = 2000, THREADS_MAX = 64 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int queue[ROUND], length, rounds = 20, ended, is_balanced;

static void sort(int *numbers, int count)
{
  for (int i = 1; i < count; i++)
    for (int at = i; at > 0 && numbers[at - 1] > numbers[at]; at--) {
      int number = numbers[at];
      numbers[at] = numbers[at - 1];
      numbers[at - 1] = number;
    }
}

static void *fill(void *none)
{
  unsigned next = 1;
  static int numbers[ROUND];
  for (int round = 0; round < rounds; round++) {
    for (int i = 0; i < ROUND; i++) {
      next = next * 1103515245u + 12345u;
      numbers[i] = (int)(next >> 16 & 1023);
    }
    if (is_balanced)
      sort(numbers, ROUND);
    pthread_mutex_lock(&mutex);
    while (length > 0)
      pthread_cond_wait(&changed, &mutex);
    if (!is_balanced)
      sort(numbers, ROUND);
    memcpy(queue, numbers, sizeof queue);
    length = ROUND;
    ended = round + 1 == rounds;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
  }
  return none;
}

static void *take(void *sum)
{
  for (;;) {
    pthread_mutex_lock(&mutex);
    while (length == 0 && !ended)
      pthread_cond_wait(&changed, &mutex);
    if (length == 0)
      break;
    *(long *)sum += queue[--length];
    if (length == 0)
      pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
  }
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(int argc, char **argv)
{
  if (argc > 1 && !strcmp(argv[1], "--balanced")) {
    is_balanced = 1;
    argv++, argc--;
  }
  int count = argc > 1 ? atoi(argv[1]) : 2;
  rounds = argc > 2 ? atoi(argv[2]) : rounds;
  if (count < 1 || count > THREADS_MAX || rounds < 1) {
    fprintf(stderr, "threads [--balanced] [THREADS (1 to %d)] [ROUNDS]\n", THREADS_MAX);
    return 2;
  }
  pthread_t filler, takers[THREADS_MAX];
  long sums[THREADS_MAX] = {0}, sum = 0;
  if (pthread_create(&filler, NULL, fill, NULL))
    return 1;
  for (int i = 0; i < count; i++)
    if (pthread_create(&takers[i], NULL, take, &sums[i]))
      return 1;
  for (int i = 0; i < count; i++) {
    pthread_join(takers[i], NULL);
    sum += sums[i];
  }
  pthread_join(filler, NULL);
  printf("%ld\n", sum);
  return 0;
}
