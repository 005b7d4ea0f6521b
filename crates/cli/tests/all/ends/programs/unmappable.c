/* A file system that cannot map files to be shared, or cannot allocate blocks: everywhere but in
   /dev/shm. Or one that becomes read-only, as after an error of a disk, when a file of this name is
   there: what is open stays, but nothing grows, and nothing new can be made. Or one with a quota of
   QUOTA bytes, of which all that is allocated is taken. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

static int refuses(const char *call, int file)
{
  char link[64], path[4096];
  const char *refused = getenv("UNMAPPABLE");
  if (!refused || strcmp(refused, call) || file < 0)
    return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  return length > 0 && strncmp(path, "/dev/shm/", 9);
}

void *mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset)
{
  static void *(*next)(void *, size_t, int, int, int, off_t);
  if (!next)
    next = (void *(*)(void *, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, "mmap");
  if ((flags & MAP_SHARED) && refuses("mmap", file)) {
    errno = ENODEV;
    return MAP_FAILED;
  }
  return next(at, bytes, protection, flags, file, offset);
}

void *mmap64(void *at, size_t bytes, int protection, int flags, int file, off_t offset)
{
  return mmap(at, bytes, protection, flags, file, offset);
}

static int is_read_only(void)
{
  const char *refused = getenv("UNMAPPABLE");
  return refused && !strcmp(refused, "read-only") && access("read-only", F_OK) == 0;
}

int open(const char *path, int flags, ...)
{
  static int (*next)(const char *, int, mode_t);
  va_list rest;
  va_start(rest, flags);
  mode_t mode = (mode_t)va_arg(rest, int);
  va_end(rest);
  if (!next)
    next = (int (*)(const char *, int, mode_t))dlsym(RTLD_NEXT, "open");
  if ((flags & O_ACCMODE) != O_RDONLY && is_read_only()) {
    errno = EROFS;
    return -1;
  }
  return next(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
  va_list rest;
  va_start(rest, flags);
  mode_t mode = (mode_t)va_arg(rest, int);
  va_end(rest);
  return open(path, flags, mode);
}

static int is_beyond_quota(off_t bytes)
{
  static long long taken;
  const char *refused = getenv("UNMAPPABLE"), *quota = getenv("QUOTA");
  if (!refused || strcmp(refused, "quota") || !quota)
    return 0;
  if (__sync_add_and_fetch(&taken, bytes) <= atoll(quota))
    return 0;
  __sync_sub_and_fetch(&taken, bytes);
  return 1;
}

int posix_fallocate(int file, off_t from, off_t bytes)
{
  static int (*next)(int, off_t, off_t);
  if (!next)
    next = (int (*)(int, off_t, off_t))dlsym(RTLD_NEXT, "posix_fallocate");
  if (is_read_only())
    return EROFS;
  if (is_beyond_quota(bytes))
    return EDQUOT;
  return refuses("posix_fallocate", file) ? EOPNOTSUPP : next(file, from, bytes);
}
