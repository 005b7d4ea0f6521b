/*
 * How a library finds the functions of the C library in front of which a program has loaded it: the
 * next ones of their names.
 */
#ifndef POMPEII_NEXT_H
#define POMPEII_NEXT_H

#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>

/* The versions that all C libraries have, so that the library runs with older ones, too. */
__asm__(".symver dlsym, dlsym@GLIBC_2.2.5");
__asm__(".symver dlvsym, dlvsym@GLIBC_2.2.5");

#define PUBLIC __attribute__((visibility("default")))
#define CALLER ((uintptr_t)__builtin_return_address(0))

/* A function of the C library: the next one of this name. `version` is NULL if there is only one. */
struct next {
  const char *name;
  const char *version;
  void *address;
};

/* All of them, from the first to the last: the linker has the borders. They are looked for when the
   library is loaded, because a call may come in a signal handler, in which the loader cannot be
   asked. Compilers may leave gaps between larger objects if nothing says how they are aligned. */
#define IN_LIST __attribute__((section("pompeii_next"), used, aligned(sizeof(void *))))
extern struct next __start_pompeii_next[] __attribute__((visibility("hidden")));
extern struct next __stop_pompeii_next[] __attribute__((visibility("hidden")));

/* Without a version, the loader may find the oldest one. */
static void *look_for(const struct next *next)
{
  void *address = next->version ? dlvsym(RTLD_NEXT, next->name, next->version) : NULL;
  return address ? address : dlsym(RTLD_NEXT, next->name);
}

__attribute__((constructor)) static void find_all(void)
{
  for (struct next *next = __start_pompeii_next; next < __stop_pompeii_next; next++)
    if (!next->address)
      next->address = look_for(next);
}

/* The address of a function, also before the library's own start: libraries that start earlier call
   these functions, too. */
static inline void *found(struct next *next)
{
  if (__builtin_expect(!next->address, 0))
    next->address = look_for(next);
  return next->address;
}

#define NEXT_FUNCTION(own, version)                                                                \
  static struct next next_of_##own IN_LIST = { #own, version, NULL }

#define NEXT(own) ((__typeof__(&own))found(&next_of_##own))

/* Reports a call that has returned, and leaves errno as the call has left it. */
#define REPORT(report)                                                                             \
  do {                                                                                             \
    int error = errno;                                                                             \
    report;                                                                                        \
    errno = error;                                                                                 \
  } while (0)

#endif
