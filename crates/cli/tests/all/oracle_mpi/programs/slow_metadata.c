/* A shared file system whose metadata are slow, and stale: what is made in the experiment's folder
   takes a while, and what was just made is not there at first. Counts what it is asked for, and leaves
   that in a file named after the process. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int operations, stale;

/* Whether the answer is that there is no such file: the first two times for what is below `procs`. */
static int asked(const char *path)
{
  if (!strstr(path, "/exp"))
    return 0;
  __atomic_add_fetch(&operations, 1, __ATOMIC_RELAXED);
  usleep(20000);
  const char *last = strrchr(path, '/');
  if (strstr(path, "/procs/") && (!strcmp(last, "/live") || !strcmp(last, "/process")) && stale < 2) {
    stale++;
    errno = ENOENT;
    return -1;
  }
  return 0;
}

#define NEXT(type, name) ((type)dlsym(RTLD_NEXT, name))

int mkdir(const char *path, mode_t mode)
{
  return asked(path) ? -1 : NEXT(int (*)(const char *, mode_t), "mkdir")(path, mode);
}

int rename(const char *from, const char *to)
{
  return asked(to) ? -1 : NEXT(int (*)(const char *, const char *), "rename")(from, to);
}

int symlink(const char *target, const char *path)
{
  return asked(path) ? -1 : NEXT(int (*)(const char *, const char *), "symlink")(target, path);
}

int unlink(const char *path)
{
  return asked(path) ? -1 : NEXT(int (*)(const char *), "unlink")(path);
}

int open(const char *path, int flags, ...)
{
  va_list rest;
  va_start(rest, flags);
  mode_t mode = (mode_t)va_arg(rest, int);
  va_end(rest);
  return asked(path) ? -1 : NEXT(int (*)(const char *, int, mode_t), "open")(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
  va_list rest;
  va_start(rest, flags);
  mode_t mode = (mode_t)va_arg(rest, int);
  va_end(rest);
  return open(path, flags, mode);
}

int statx(int folder, const char *path, int flags, unsigned mask, struct statx *to)
{
  if (path && asked(path))
    return -1;
  return NEXT(int (*)(int, const char *, int, unsigned, struct statx *), "statx")(folder, path, flags,
                                                                                  mask, to);
}

__attribute__((destructor)) static void leave_count(void)
{
  char name[64];
  if (!operations)
    return;
  snprintf(name, sizeof name, "operations.%d", (int)getpid());
  FILE *file = fopen(name, "w");
  fprintf(file, "%d %d\n", operations, stale);
  fclose(file);
}
