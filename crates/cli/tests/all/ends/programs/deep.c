/* Calls as deep as the argument says, on a stack that has room for them. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static long depth;

static long deep(long levels)
{
  if (levels == 1)
    return 1;
  return deep(levels - 1) + 1;
}

static void *run(void *argument)
{
  *(long *)argument = deep(depth) + deep(depth);
  return NULL;
}

int main(int count, char **words)
{
  long sum = 0;
  pthread_attr_t attributes;
  pthread_t thread;
  depth = count > 1 ? atol(words[1]) : 10;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 1ul << 30);
  if (pthread_create(&thread, &attributes, run, &sum))
    return 1;
  pthread_join(thread, NULL);
  printf("%ld\n", sum);
  return 0;
}
