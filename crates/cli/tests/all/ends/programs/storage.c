/* Works, has something taken away from it, does what needs more room, and works again. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void work(void)
{
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 5; i++) {
#pragma omp critical(work)
    ;
  }
}

/* A call path for each level. */
static int deep(int levels)
{
  int below = 0;
#pragma pomp inst begin(level)
  if (levels > 1)
    below = deep(levels - 1);
#pragma pomp inst end(level)
  return below + 1;
}

static void visits(int number)
{
  for (int i = 0; i < number; i++) {
#pragma pomp inst begin(visit)
#pragma pomp inst end(visit)
  }
}

static void first_visit(void)
{
#pragma omp parallel num_threads(2)
  {
#pragma omp critical(late)
    ;
  }
}

static void limit(int what, rlim_t value)
{
  struct rlimit both = {value, value};
  if (setrlimit(what, &both) != 0)
    abort();
}

/* All of the memory that the process may have. */
static void use_up_memory(void)
{
  char text[128] = "";
  FILE *status = fopen("/proc/self/statm", "r");
  if (!status || !fgets(text, sizeof text, status))
    abort();
  fclose(status);
  limit(RLIMIT_AS, strtoul(text, NULL, 10) * 4096 + (1 << 20));
  for (size_t size = 1 << 20; size >= 16; size /= 2)
    while (malloc(size))
      ;
}

/* More memory than a group of processes may have that was made for this. Where none kills, the
   program does it itself. */
static void take_memory(void)
{
  for (int megabytes = 0; megabytes < 256; megabytes++) {
    char *taken = malloc(1 << 20);
    if (taken)
      memset(taken, 1, 1 << 20);
  }
  puts("not killed");
  fflush(stdout);
  raise(SIGKILL);
}

static void use_up_files(void)
{
  limit(RLIMIT_NOFILE, 64);
  while (open("/dev/null", O_RDONLY) >= 0)
    ;
}

static void *in_a_thread(void *nothing)
{
#pragma omp parallel num_threads(1)
  {
#pragma omp critical(late)
    ;
  }
  return nothing;
}

int main(int count, char **words)
{
  const char *how = count > 1 ? words[1] : "";
  int levels = 1;
  work();
  if (!strcmp(how, "file-size"))
    limit(RLIMIT_FSIZE, 200 * 1024);
  if (!strcmp(how, "no-files"))
    use_up_files();
  if (!strcmp(how, "full-disk") && !system("cat /dev/zero 2>&1 >disk/fill | grep -v space"))
    abort();
  if (!strcmp(how, "events") || !strcmp(how, "full-disk"))
    visits(1000000);
  if (!strcmp(how, "vanished") && system("rm -rf gone"))
    abort();
  if (!strcmp(how, "read-only"))
    close(open("read-only", O_CREAT | O_WRONLY, 0644));
  if (!strcmp(how, "remounted"))
    dprintf(1, "%s\n", system("mount -o remount,ro disk 2>&1") ? "busy" : "read-only");
  if (!strcmp(how, "out-of-memory")) {
    work();
    first_visit();
    take_memory();
  }
  if (!strcmp(how, "no-memory")) {
    use_up_memory();
    first_visit();
  } else {
    levels = deep(2000);
    first_visit();
    pthread_t thread;
    for (int i = 0; i < 3; i++) {
      if (pthread_create(&thread, NULL, in_a_thread, NULL))
        abort();
      pthread_join(thread, NULL);
    }
  }
  work();
  dprintf(1, "%d\n", levels);
  return 3;
}
