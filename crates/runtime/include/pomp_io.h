/*
 * The functions by which a library with functions for files (preload/io.c) passes data to libpomp.
 * They may be called on any thread, also in signal handlers. Descriptors are those of the system.
 *
 * A call is reported when it has returned. Only pomp_io_begin, and pomp_io_closing for calls that
 * close a descriptor, come before it:
 *
 *   uint64_t begun = pomp_io_begin();
 *   ssize_t result = next_read(descriptor, buffer, bytes);
 *   if (begun)
 *     pomp_io_moved(&routine, caller, begun, descriptor, POMP_IO_READ, bytes, result);
 *
 * They may change errno.
 */
#ifndef POMP_IO_H
#define POMP_IO_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A function for files; static. `region` belongs to libpomp and is 0 at first. */
struct pomp_io_routine {
  const char *name;
  uint32_t region;
};

/* What a call does with the bytes of a file. */
enum pomp_io_mode { POMP_IO_READ, POMP_IO_WRITE, POMP_IO_FLUSH };

/* Before the program's `main`: begins the measurement, if this is the program to be measured. */
void pomp_io_start(void);

/* Before a call: when it begins; 0 if it is not observed, and then nothing is to be reported. */
uint64_t pomp_io_begin(void);

/* In all functions below, `caller` is the address that the call returns to, and `begun` is what
   pomp_io_begin has returned. */

/* The call has read, written or flushed a file: it was asked for so many bytes and has moved so many,
   below 0 if it has failed. */
void pomp_io_moved(struct pomp_io_routine *routine, uintptr_t caller, uint64_t begun, int descriptor,
                   int mode, uint64_t asked, int64_t moved);

/* The call has opened a file, with the flags of `open`; `descriptor` is below 0 if it has failed. */
void pomp_io_opened(struct pomp_io_routine *routine, uintptr_t caller, uint64_t begun, int descriptor,
                    const char *path, int flags, int is_stream);

/* Before a descriptor is closed: what pomp_io_closed needs. */
uint32_t pomp_io_closing(int descriptor);
void pomp_io_closed(struct pomp_io_routine *routine, uintptr_t caller, uint64_t begun,
                    uint32_t closing);

/* The call has moved the position in a file to `result`, below 0 if it has failed. */
void pomp_io_sought(struct pomp_io_routine *routine, uintptr_t caller, uint64_t begun, int descriptor,
                    int64_t request, int whence, int64_t result);

/* From now on the descriptor stands for another file. */
void pomp_io_replaced(int descriptor);

#ifdef __cplusplus
}
#endif

#endif
