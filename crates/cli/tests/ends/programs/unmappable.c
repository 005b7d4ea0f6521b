/* A file system that cannot map files to be shared, or cannot allocate blocks: everywhere but in
   /dev/shm. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
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

int posix_fallocate(int file, off_t from, off_t bytes)
{
  static int (*next)(int, off_t, off_t);
  if (!next)
    next = (int (*)(int, off_t, off_t))dlsym(RTLD_NEXT, "posix_fallocate");
  return refuses("posix_fallocate", file) ? EOPNOTSUPP : next(file, from, bytes);
}
