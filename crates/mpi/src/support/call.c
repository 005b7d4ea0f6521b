/*
 * What the wrappers behind this text have in common: which arguments say what happens, in terms of
 * pomp_mpi.h. All of MPI's own types stay on this side.
 *
 * A wrapper's events come before and after the call of the next MPI library in the process: another
 * tool, or MPI itself. MPI calls that come from inside a wrapped one (a Fortran binding that calls
 * the C function, a collective operation made of messages) belong to it and are only passed on.
 *
 * Wrappers of C and of Fortran share all of this. Scalars reach it as C has them; what a pointer
 * leads to has the form of the wrapper's language, which `f` says.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>
#include "pomp_mpi.h"

/* The standard's ABI has other names for what makes a handle of an integer of Fortran. */
#ifdef MPI_ABI_VERSION
typedef int MPI_Fint;
#define PMPI_Comm_f2c PMPI_Comm_fromint
#define PMPI_File_f2c PMPI_File_fromint
#define PMPI_Group_f2c PMPI_Group_fromint
#define PMPI_Info_f2c PMPI_Info_fromint
#define PMPI_Message_f2c PMPI_Message_fromint
#define PMPI_Op_f2c PMPI_Op_fromint
#define PMPI_Errhandler_f2c PMPI_Errhandler_fromint
#define PMPI_Request_f2c PMPI_Request_fromint
#define PMPI_Session_f2c PMPI_Session_fromint
#define PMPI_Type_f2c PMPI_Type_fromint
#define PMPI_Win_f2c PMPI_Win_fromint
#define MPI_F_STATUS_IGNORE NULL
#define MPI_F_STATUSES_IGNORE NULL
#endif

#define H POMP_MPI_HANDLE
#define PUBLIC __attribute__((visibility("default")))

/* A status of Fortran is as many integers as one of C. */
#define STATUS_INTEGERS (sizeof(MPI_Status) / sizeof(MPI_Fint))

/* ---- The call. */

/* Address of the frame of the wrapper that this thread is in. */
static __thread uintptr_t around __attribute__((tls_model("initial-exec")));

/* Whether this call is one of the program. A wrapper that was left without its end (an error handler
   that throws or jumps) lies below the frames of later calls. */
static inline int begins(struct pomp_mpi_routine *routine, uintptr_t frame, uintptr_t caller)
{
  if (around > frame)
    return 0;
  around = frame;
  pomp_mpi_enter_from(routine, caller);
  return 1;
}

/* The frame of the wrapper that this is in, and the address that it returns to. */
#define HERE (uintptr_t)__builtin_frame_address(0), (uintptr_t)__builtin_return_address(0)

static inline void ends(struct pomp_mpi_routine *routine)
{
  pomp_mpi_exit(routine);
  around = 0;
}

/* Whether records are wanted at all. */
static inline int is_traced(void)
{
  static int known;
  if (!known)
    known = 1 + pomp_mpi_is_traced();
  return known - 1;
}

/* What all of the program's libraries know by this name, or those behind this one. */
#ifndef IS_WRAPPED
static void *anywhere(const char *name)
{
  return dlsym(RTLD_DEFAULT, name);
}

/* The next library's function under the first of these names that it has. */
static void *next(const char *const *names, void *otherwise)
{
  for (; *names; names++) {
    void *found = dlsym(RTLD_NEXT, *names);
    if (found)
      return found;
  }
  return otherwise;
}
#else
/* Perhaps nothing can be looked for: the program has what it has been linked with. Some headers
   declare them, with types of their own. */
#define KNOWN(name) { #name, &maybe_##name }
#define MAYBE(name) extern char maybe_##name __asm__(#name) __attribute__((weak))
MAYBE(MPIR_F08_MPI_STATUS_IGNORE_OBJ);
MAYBE(MPIR_F08_MPI_STATUSES_IGNORE_OBJ);
MAYBE(mpi_fortran_in_place_);
MAYBE(mpi_fortran_in_place);
MAYBE(mpi_fortran_in_place__);
MAYBE(MPI_FORTRAN_IN_PLACE);

static void *anywhere(const char *name)
{
  static const struct {
    const char *name;
    void *address;
  } known[] = { KNOWN(MPIR_F08_MPI_STATUS_IGNORE_OBJ), KNOWN(MPIR_F08_MPI_STATUSES_IGNORE_OBJ),
    KNOWN(mpi_fortran_in_place_), KNOWN(mpi_fortran_in_place), KNOWN(mpi_fortran_in_place__),
    KNOWN(MPI_FORTRAN_IN_PLACE) };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!strcmp(known[i].name, name))
      return known[i].address;
  return NULL;
}
#endif

/* ---- Memory for as many elements as a call has: none for a few, and for more what the thread has got
   for an earlier call, which it keeps until it ends. */

struct scratch {
  uint64_t own[320];
};
#define SCRATCH(name) struct scratch name

enum purpose { OF_REQUESTS, OF_STATUSES, PURPOSES };
static __thread struct {
  void *memory;
  size_t bytes;
} kept[PURPOSES] __attribute__((tls_model("initial-exec")));

static pthread_key_t end_of_thread;
static pthread_once_t has_end_of_thread = PTHREAD_ONCE_INIT;

static void free_kept(void *any)
{
  (void)any;
  for (int purpose = 0; purpose < PURPOSES; purpose++) {
    free(kept[purpose].memory);
    kept[purpose].memory = NULL;
    kept[purpose].bytes = 0;
  }
}

static void watch_end_of_thread(void)
{
  pthread_key_create(&end_of_thread, free_kept);
}

static void *room(struct scratch *scratch, enum purpose purpose, size_t bytes)
{
  if (bytes <= sizeof scratch->own)
    return scratch->own;
  if (bytes > kept[purpose].bytes) {
    /* More than asked for: a program that has more requests from call to call is soon at its end. */
    void *memory = realloc(kept[purpose].memory, 2 * bytes);
    if (!memory)
      return NULL;
    kept[purpose].memory = memory;
    kept[purpose].bytes = 2 * bytes;
    pthread_once(&has_end_of_thread, watch_end_of_thread);
    pthread_setspecific(end_of_thread, kept);
  }
  return kept[purpose].memory;
}

/* ---- The job. */

/* The program's communicator of all processes: MPI_COMM_WORLD, or one of a session. */
static MPI_Comm world_comm = MPI_COMM_NULL;
static int has_world;

/* Messages of ours have a communicator of their own. */
static MPI_Comm own_world = MPI_COMM_NULL;
