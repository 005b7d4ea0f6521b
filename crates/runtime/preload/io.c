/*
 * libpompeii-io.so: functions that read and write files, under their names in the C library. A
 * program loads this library in front of the C library; each function calls the next one of its name
 * and reports the call to libpomp (pomp_io.h). It is a library of its own, because libpomp is in
 * programs whose files are not observed, too.
 *
 * What the C library calls inside of itself is not seen here: the `write` that `fflush` makes is a
 * part of `fflush`. Functions that handle single characters (getc, putc) or parse (scanf) are left
 * out: a call of the former takes less time than its report, and the latter do not say how much they
 * have read.
 *
 * To add a function: its lines here, and its row in "Reading and writing files" of the manual.
 */
#define _GNU_SOURCE
/* The C library's headers define none of the functions themselves. */
#define __NO_INLINE__
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include "next.h"
#include "pomp_io.h"

/* What a function of this name knows: the next one, with its type, and its region. Where the C library
   has none of this name, the program cannot have been linked with one either. */
#define FUNCTION(own)                                                                              \
  NEXT_FUNCTION(own, NULL);                                                                        \
  static struct pomp_io_routine routine_of_##own = { #own, 0 }

/* A function that reads, writes or flushes a file; `asked` and `moved` are in bytes, and both and the
   descriptor may use the result. */
#define MOVES(result_type, own, mode, descriptor, asked, moved, parameters, arguments)             \
  FUNCTION(own);                                                                                   \
  PUBLIC result_type own parameters                                                                \
  {                                                                                                \
    uint64_t begun = pomp_io_begin();                                                              \
    result_type result = NEXT(own) arguments;                                                      \
    if (begun)                                                                                     \
      REPORT(pomp_io_moved(&routine_of_##own, CALLER, begun, descriptor, mode, asked, moved));     \
    return result;                                                                                 \
  }

#define READS(own, asked, parameters, arguments)                                                   \
  MOVES(ssize_t, own, POMP_IO_READ, descriptor, asked, result, parameters, arguments)
#define WRITES(own, asked, parameters, arguments)                                                  \
  MOVES(ssize_t, own, POMP_IO_WRITE, descriptor, asked, result, parameters, arguments)
#define FLUSHES(own)                                                                               \
  MOVES(int, own, POMP_IO_FLUSH, descriptor, 0, result, (int descriptor), (descriptor))

/* The sum of the parts of a call, as far as they can be read: the system refuses others. */
static uint64_t sum(const struct iovec *parts, int count)
{
  uint64_t bytes = 0;
  for (int i = 0; i < count; i++)
    bytes += parts[i].iov_len;
  return bytes;
}

/* Whether the call has moved anything: only then its parts can be read without harm. */
#define PARTS (result > 0 ? sum(parts, count) : 0)

/* ---- Descriptors. */

READS(read, bytes, (int descriptor, void *buffer, size_t bytes), (descriptor, buffer, bytes))
WRITES(write, bytes, (int descriptor, const void *buffer, size_t bytes),
       (descriptor, buffer, bytes))
READS(pread, bytes, (int descriptor, void *buffer, size_t bytes, off_t at),
      (descriptor, buffer, bytes, at))
READS(pread64, bytes, (int descriptor, void *buffer, size_t bytes, off64_t at),
      (descriptor, buffer, bytes, at))
WRITES(pwrite, bytes, (int descriptor, const void *buffer, size_t bytes, off_t at),
       (descriptor, buffer, bytes, at))
WRITES(pwrite64, bytes, (int descriptor, const void *buffer, size_t bytes, off64_t at),
       (descriptor, buffer, bytes, at))
READS(readv, PARTS, (int descriptor, const struct iovec *parts, int count),
      (descriptor, parts, count))
WRITES(writev, PARTS, (int descriptor, const struct iovec *parts, int count),
       (descriptor, parts, count))
READS(preadv, PARTS, (int descriptor, const struct iovec *parts, int count, off_t at),
      (descriptor, parts, count, at))
READS(preadv64, PARTS, (int descriptor, const struct iovec *parts, int count, off64_t at),
      (descriptor, parts, count, at))
WRITES(pwritev, PARTS, (int descriptor, const struct iovec *parts, int count, off_t at),
       (descriptor, parts, count, at))
WRITES(pwritev64, PARTS, (int descriptor, const struct iovec *parts, int count, off64_t at),
       (descriptor, parts, count, at))
FLUSHES(fsync)
FLUSHES(fdatasync)

/* What a compiler calls instead where it checks the length of the buffer. */
ssize_t __read_chk(int, void *, size_t, size_t);
ssize_t __pread_chk(int, void *, size_t, off_t, size_t);
ssize_t __pread64_chk(int, void *, size_t, off64_t, size_t);
READS(__read_chk, bytes, (int descriptor, void *buffer, size_t bytes, size_t room),
      (descriptor, buffer, bytes, room))
READS(__pread_chk, bytes, (int descriptor, void *buffer, size_t bytes, off_t at, size_t room),
      (descriptor, buffer, bytes, at, room))
READS(__pread64_chk, bytes, (int descriptor, void *buffer, size_t bytes, off64_t at, size_t room),
      (descriptor, buffer, bytes, at, room))

/* ---- Opening and closing. */

#define OPENED(own, descriptor, path, flags, is_stream)                                            \
  if (begun)                                                                                       \
  REPORT(pomp_io_opened(&routine_of_##own, CALLER, begun, descriptor, path, flags, is_stream))

/* The mode of a new file, which is passed only if one may be made. */
#define MODE                                                                                       \
  mode_t mode = 0;                                                                                 \
  if (flags & (O_CREAT | __O_TMPFILE)) {                                                           \
    va_list more;                                                                                  \
    va_start(more, flags);                                                                         \
    mode = va_arg(more, mode_t);                                                                   \
    va_end(more);                                                                                  \
  }

#define OPENS(own, parameters, arguments)                                                          \
  FUNCTION(own);                                                                                   \
  PUBLIC int own parameters                                                                        \
  {                                                                                                \
    MODE                                                                                           \
    uint64_t begun = pomp_io_begin();                                                              \
    int result = NEXT(own) arguments;                                                              \
    OPENED(own, result, path, flags, 0);                                                           \
    return result;                                                                                 \
  }

OPENS(open, (const char *path, int flags, ...), (path, flags, mode))
OPENS(open64, (const char *path, int flags, ...), (path, flags, mode))
OPENS(openat, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
OPENS(openat64, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))

/* The same without a mode. */
#define OPENS_WITHOUT_MODE(own, flags, parameters, arguments)                                      \
  FUNCTION(own);                                                                                   \
  PUBLIC int own parameters                                                                        \
  {                                                                                                \
    uint64_t begun = pomp_io_begin();                                                              \
    int result = NEXT(own) arguments;                                                              \
    OPENED(own, result, path, flags, 0);                                                           \
    return result;                                                                                 \
  }

int __open_2(const char *, int);
int __open64_2(const char *, int);
int __openat_2(int, const char *, int);
int __openat64_2(int, const char *, int);
OPENS_WITHOUT_MODE(__open_2, flags, (const char *path, int flags), (path, flags))
OPENS_WITHOUT_MODE(__open64_2, flags, (const char *path, int flags), (path, flags))
OPENS_WITHOUT_MODE(__openat_2, flags, (int folder, const char *path, int flags),
                   (folder, path, flags))
OPENS_WITHOUT_MODE(__openat64_2, flags, (int folder, const char *path, int flags),
                   (folder, path, flags))
#define CREATES (O_WRONLY | O_CREAT | O_TRUNC)
OPENS_WITHOUT_MODE(creat, CREATES, (const char *path, mode_t mode), (path, mode))
OPENS_WITHOUT_MODE(creat64, CREATES, (const char *path, mode_t mode), (path, mode))

FUNCTION(close);
PUBLIC int close(int descriptor)
{
  uint64_t begun = pomp_io_begin();
  uint32_t closing = begun ? pomp_io_closing(descriptor) : 0;
  int result = NEXT(close)(descriptor);
  if (begun)
    REPORT(pomp_io_closed(&routine_of_close, CALLER, begun, closing));
  return result;
}

#define SEEKS(own, type)                                                                           \
  FUNCTION(own);                                                                                   \
  PUBLIC type own(int descriptor, type offset, int whence)                                         \
  {                                                                                                \
    uint64_t begun = pomp_io_begin();                                                              \
    type result = NEXT(own)(descriptor, offset, whence);                                           \
    if (begun)                                                                                     \
      REPORT(pomp_io_sought(&routine_of_##own, CALLER, begun, descriptor, offset, whence,          \
                            result));                                                              \
    return result;                                                                                 \
  }
SEEKS(lseek, off_t)
SEEKS(lseek64, off64_t)

/* No calls of their own in the report: they take no time, but a descriptor stands for another file
   after them. */
#define REPLACES(own, parameters, arguments)                                                       \
  NEXT_FUNCTION(own, NULL);                                                                        \
  PUBLIC int own parameters                                                                        \
  {                                                                                                \
    int result = NEXT(own) arguments;                                                              \
    if (result >= 0 && pomp_io_begin())                                                            \
      REPORT(pomp_io_replaced(result));                                                            \
    return result;                                                                                 \
  }
REPLACES(dup2, (int old, int new), (old, new))
REPLACES(dup3, (int old, int new, int flags), (old, new, flags))

/* ---- Streams. */

/* The descriptor of a stream; below 0 for one in memory, and for NULL, which is all streams. */
static int descriptor_of(FILE *stream)
{
  int error = errno, descriptor = stream ? fileno(stream) : -1;
  errno = error;
  return descriptor;
}

/* The flags of `open` that a mode of `fopen` stands for. */
static int flags_of(const char *mode)
{
  int flags = mode[0] == 'r' ? 0 : mode[0] == 'a' ? O_CREAT | O_APPEND : O_CREAT | O_TRUNC;
  if (strchr(mode, 'x'))
    flags |= O_EXCL;
  if (strchr(mode, 'e'))
    flags |= O_CLOEXEC;
  return flags | (strchr(mode, '+') ? O_RDWR : mode[0] == 'r' ? O_RDONLY : O_WRONLY);
}

#define OPENS_STREAM(own)                                                                          \
  FUNCTION(own);                                                                                   \
  PUBLIC FILE *own(const char *path, const char *mode)                                             \
  {                                                                                                \
    uint64_t begun = pomp_io_begin();                                                              \
    FILE *stream = NEXT(own)(path, mode);                                                          \
    OPENED(own, stream ? descriptor_of(stream) : -1, path, stream ? flags_of(mode) : 0, 1);        \
    return stream;                                                                                 \
  }
OPENS_STREAM(fopen)
OPENS_STREAM(fopen64)

FUNCTION(fclose);
PUBLIC int fclose(FILE *stream)
{
  uint64_t begun = pomp_io_begin();
  uint32_t closing = begun ? pomp_io_closing(descriptor_of(stream)) : 0;
  int result = NEXT(fclose)(stream);
  if (begun)
    REPORT(pomp_io_closed(&routine_of_fclose, CALLER, begun, closing));
  return result;
}

/* The same with a stream. */
#define STREAMS(result_type, own, mode, asked, moved, parameters, arguments)                       \
  MOVES(result_type, own, mode, descriptor_of(stream), asked, moved, parameters, arguments)

#define READS_ITEMS(own, parameters, arguments)                                                    \
  STREAMS(size_t, own, POMP_IO_READ, size *items, size *result, parameters, arguments)
#define WRITES_ITEMS(own)                                                                          \
  STREAMS(size_t, own, POMP_IO_WRITE, size *items, size *result,                                   \
          (const void *buffer, size_t size, size_t items, FILE *stream),                           \
          (buffer, size, items, stream))

size_t __fread_chk(void *, size_t, size_t, size_t, FILE *);
size_t __fread_unlocked_chk(void *, size_t, size_t, size_t, FILE *);
READS_ITEMS(fread, (void *buffer, size_t size, size_t items, FILE *stream),
            (buffer, size, items, stream))
READS_ITEMS(fread_unlocked, (void *buffer, size_t size, size_t items, FILE *stream),
            (buffer, size, items, stream))
READS_ITEMS(__fread_chk, (void *buffer, size_t room, size_t size, size_t items, FILE *stream),
            (buffer, room, size, items, stream))
READS_ITEMS(__fread_unlocked_chk,
            (void *buffer, size_t room, size_t size, size_t items, FILE *stream),
            (buffer, room, size, items, stream))
WRITES_ITEMS(fwrite)
WRITES_ITEMS(fwrite_unlocked)
STREAMS(int, fflush, POMP_IO_FLUSH, 0, result, (FILE *stream), (stream))

/* Lines. */
#define LENGTH (result ? strlen(result) : 0)
char *__fgets_chk(char *, size_t, int, FILE *);
STREAMS(char *, fgets, POMP_IO_READ, LENGTH, LENGTH, (char *line, int room, FILE *stream),
        (line, room, stream))
STREAMS(char *, __fgets_chk, POMP_IO_READ, LENGTH, LENGTH,
        (char *line, size_t size, int room, FILE *stream), (line, size, room, stream))
STREAMS(ssize_t, getline, POMP_IO_READ, result > 0 ? result : 0, result,
        (char **line, size_t *room, FILE *stream), (line, room, stream))
STREAMS(int, fputs, POMP_IO_WRITE, strlen(text), result < 0 ? -1 : (int64_t)strlen(text),
        (const char *text, FILE *stream), (text, stream))
#define stream stdout
STREAMS(int, puts, POMP_IO_WRITE, strlen(text) + 1, result < 0 ? -1 : (int64_t)strlen(text) + 1,
        (const char *text), (text))
#undef stream

/* Formatted text: the variants with `...` are those with a list. */
#define WRITTEN (result < 0 ? 0 : (uint64_t)result)
int __vfprintf_chk(FILE *, int, const char *, va_list);
STREAMS(int, vfprintf, POMP_IO_WRITE, WRITTEN, result,
        (FILE *stream, const char *format, va_list values), (stream, format, values))
STREAMS(int, __vfprintf_chk, POMP_IO_WRITE, WRITTEN, result,
        (FILE *stream, int flag, const char *format, va_list values),
        (stream, flag, format, values))
#define stream stdout
int __vprintf_chk(int, const char *, va_list);
STREAMS(int, vprintf, POMP_IO_WRITE, WRITTEN, result, (const char *format, va_list values),
        (format, values))
STREAMS(int, __vprintf_chk, POMP_IO_WRITE, WRITTEN, result,
        (int flag, const char *format, va_list values), (flag, format, values))
#undef stream

#define PRINTS(own, with_list, to, parameters, arguments)                                          \
  static struct pomp_io_routine routine_of_##own = { #own, 0 };                                    \
  PUBLIC int own parameters                                                                        \
  {                                                                                                \
    va_list values;                                                                                \
    va_start(values, format);                                                                      \
    uint64_t begun = pomp_io_begin();                                                              \
    int result = NEXT(with_list) arguments;                                                        \
    va_end(values);                                                                                \
    if (begun)                                                                                     \
      REPORT(pomp_io_moved(&routine_of_##own, CALLER, begun, descriptor_of(to), POMP_IO_WRITE,     \
                           WRITTEN, result));                                                      \
    return result;                                                                                 \
  }

int __fprintf_chk(FILE *, int, const char *, ...);
int __printf_chk(int, const char *, ...);
PRINTS(fprintf, vfprintf, stream, (FILE *stream, const char *format, ...),
       (stream, format, values))
PRINTS(printf, vprintf, stdout, (const char *format, ...), (format, values))
PRINTS(__fprintf_chk, __vfprintf_chk, stream, (FILE *stream, int flag, const char *format, ...),
       (stream, flag, format, values))
PRINTS(__printf_chk, __vprintf_chk, stdout, (int flag, const char *format, ...),
       (flag, format, values))

/* ---- The begin of the program. */

/* What the C library starts a program with, when all libraries have started. */
__attribute__((used)) static void *start_of_program(void)
{
  pomp_io_start();
  return dlsym(RTLD_NEXT, "__libc_start_main");
}

/* Calls that, and jumps to the function that it returns, so that no frame of this library is around
   the whole program: samples inside of this library's frames are those of calls. */
__asm__(".globl __libc_start_main\n"
        ".type __libc_start_main, @function\n"
        "__libc_start_main:\n"
        "  push %rdi\n  push %rsi\n  push %rdx\n  push %rcx\n  push %r8\n  push %r9\n"
        "  sub $8, %rsp\n"
        "  call start_of_program\n"
        "  add $8, %rsp\n"
        "  pop %r9\n  pop %r8\n  pop %rcx\n  pop %rdx\n  pop %rsi\n  pop %rdi\n"
        "  jmp *%rax\n"
        ".size __libc_start_main, . - __libc_start_main\n");
