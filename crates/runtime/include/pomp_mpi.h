/*
 * The functions by which wrappers of MPI functions pass data to libpomp. All arguments are plain
 * integers, because the types of MPI differ between MPI libraries. Pompeii generates the wrappers for
 * the mpi.h of a machine; other tools may call these functions as well.
 *
 * Handles are passed as their bits (POMP_MPI_HANDLE). Every function may be called at any time and on
 * any thread. Data about an unknown handle is ignored. None of the functions calls MPI. Partners are
 * ranks in the communicator (in the other group of an intercommunicator). Sizes are in bytes.
 */
#ifndef POMP_MPI_H
#define POMP_MPI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define POMP_MPI_HANDLE(handle) ((uint64_t)(uintptr_t)(handle))

/* What an MPI function is about. */
enum pomp_mpi_kind {
  POMP_MPI_POINT_TO_POINT,
  POMP_MPI_BARRIER,
  POMP_MPI_ONE_TO_ALL,
  POMP_MPI_ALL_TO_ONE,
  POMP_MPI_ALL_TO_ALL,
  POMP_MPI_COLLECTIVE, /* any other collective one */
  POMP_MPI_INIT_EXIT,
  POMP_MPI_COMMUNICATOR, /* management of communicators, groups and topologies */
  POMP_MPI_ONE_SIDED,
  POMP_MPI_SYNCHRONISATION, /* of one-sided communication */
  POMP_MPI_WINDOW,          /* management of windows */
  POMP_MPI_FILE,
  POMP_MPI_FILE_COLLECTIVE,
  POMP_MPI_FILE_MANAGEMENT,
  POMP_MPI_OTHER,
  /* Added to one of these: its calls may have nothing in them, as those of MPI_Iprobe or
     MPI_Comm_rank. Where such calls are many, a trace has sums of those that have nothing. */
  POMP_MPI_QUIET = 256
};

/* An MPI function; static. `region` belongs to the library and is 0 at first. */
struct pomp_mpi_routine {
  const char *name;
  uint32_t kind;
  uint32_t region;
};

void pomp_mpi_enter(struct pomp_mpi_routine *routine);
/* The same if the address is known that the call returns to (__builtin_return_address(0)): then calls
   from different places are told apart. */
void pomp_mpi_enter_from(struct pomp_mpi_routine *routine, uintptr_t address);
void pomp_mpi_exit(struct pomp_mpi_routine *routine);
/* The call that this thread is in has found something that no other function here says. */
void pomp_mpi_found(void);
/* Whether there will be a trace. */
int pomp_mpi_is_traced(void);

/* ---- The job. */

/* Writes a text that no other process at any other time gets, at most `bytes` with its end. */
void pomp_mpi_job(char *text, size_t bytes);
/* After MPI_Init: the place in MPI_COMM_WORLD, and rank 0's text. */
void pomp_mpi_world(uint32_t rank, uint32_t size, const char *job);
/* MPI_Finalize is done. */
void pomp_mpi_finalized(void);
/* MPI_Pcontrol: 0 stops recording on this thread, 1 goes on, others mean nothing: what has been
   recorded needs no flushing. */
void pomp_mpi_control(int level);

/* What the user wants. All processes have to do as rank 0's say. */
enum pomp_mpi_waits {
  POMP_MPI_NO_WAITS,
  POMP_MPI_WAITS_IN_COLLECTIVES,
  POMP_MPI_WAITS_FOR_MESSAGES /* and in collective operations */
};
struct pomp_mpi_settings {
  int32_t waits;            /* measure who waits for whom: one of enum pomp_mpi_waits */
  uint32_t clock_period_ms; /* measure offsets of clocks this often, 0: at the begin and the end */
};
void pomp_mpi_settings(struct pomp_mpi_settings *settings);

/* The clock that offsets are measured with, in nanoseconds. */
uint64_t pomp_mpi_clock_ns(void);
/* Which clock that is: processes with the same number, which is not 0, read the same one. */
uint64_t pomp_mpi_clock_identity(void);
/* At `at_ns` of the own clock, rank 0's was ahead by `offset_ns`, give or take `error_ns`. */
void pomp_mpi_clock_offset(uint64_t at_ns, int64_t offset_ns, uint64_t error_ns);

/* ---- A run of which only the summary remains: before MPI_Finalize, one rank gets what the others have
   measured. */

/* Whether the user wants that. All ranks have to do as rank 0's says. */
int pomp_mpi_is_collected(void);
/* Ends the measurement of this process: first of all. */
void pomp_mpi_end(void);
/* Writes the folder in which `run` waits on this host, with its end, into `bytes` bytes. 0: it waits
   on another host, or there is no room. */
int pomp_mpi_collecting_folder(char *folder, size_t bytes);
/* Returns what this process has measured, and how many bytes that is. They stay in memory until the
   process ends, and are removed from its host. 0 bytes: all of it is in this folder already. */
const void *pomp_mpi_packed(const char *folder, uint64_t *bytes);
/* Room for so many bytes that another rank has packed; null if there is none. Then they are unpacked. */
void *pomp_mpi_room(uint64_t bytes);
void pomp_mpi_unpack(void);
/* `run` waits for no rank: what this rank has measured is removed. Rank 0 says so. */
void pomp_mpi_not_collected(int is_first);

/* The clock of the measurement. */
uint64_t pomp_mpi_ticks(void);
/* The MPI function that this thread is in has worked since `begin`, of that clock, for messages that
   are not the program's. */
void pomp_mpi_own(uint64_t begin);

/* When the MPI function was entered that this thread is in, in nanoseconds of rank 0's clock. */
uint64_t pomp_mpi_entered_ns(void);
/* This thread has waited in it for others until then. */
void pomp_mpi_waited(uint64_t until_ns);
/* The same for what is missing of a non-blocking collective operation. */
void pomp_mpi_waited_for_collective(uint64_t until_ns);

/* ---- Communicators. */

struct pomp_mpi_comm {
  uint64_t handle;     /* 0: not known yet, see pomp_mpi_comm_bind */
  uint64_t parent;     /* handle of the communicator that it is made from, 0 for none */
  const char *name;    /* "" where it has none */
  int32_t tag;         /* what tells it from others that are made at the same time, else 0 */
  uint32_t rank;       /* this process's */
  uint32_t size;       /* of the own group */
  uint32_t remote;     /* size of the other group, 0 if it is no intercommunicator */
  const int *members;  /* world ranks, negative for processes of other jobs */
  const int *remote_members;
};

/* A communicator comes into being. Returns its id. */
uint32_t pomp_mpi_comm_create(const struct pomp_mpi_comm *comm);
/* The handle of one that had none. */
void pomp_mpi_comm_bind(uint32_t id, uint64_t handle);
/* Before it is freed; returns its id, UINT32_MAX where it has none. */
uint32_t pomp_mpi_comm_free(uint64_t comm);
/* All of its processes have freed it. */
void pomp_mpi_comm_freed(uint32_t id);
void pomp_mpi_comm_name(uint64_t comm, const char *name);
/* A Cartesian topology: per dimension its size, whether it is periodic, the own coordinate. */
void pomp_mpi_cart(uint64_t comm, int dimensions, const int *sizes, const int *periodic,
                   const int *coordinates);

/* ---- Messages. */

/* Before a blocking send; after a blocking receive. */
void pomp_mpi_send(uint64_t comm, int receiver, int tag, uint64_t bytes);
void pomp_mpi_recv(uint64_t comm, int sender, int tag, uint64_t bytes);
/* Before a non-blocking send or receive: the id for its request. */
uint64_t pomp_mpi_isend(uint64_t comm, int receiver, int tag, uint64_t bytes);
uint64_t pomp_mpi_irecv(void);
/* The call has failed that this thread is in: what any function here has noted that is called before
   one is taken back. */
void pomp_mpi_failed(void);

/* ---- Collective operations: `operation` as OTF2 numbers them, the root as a rank, or -1 for none,
   -2 where it is this process of the own group of an intercommunicator, -3 where it is another
   process of the own group. */

void pomp_mpi_collective_begin(void);
void pomp_mpi_collective_end(int operation, uint64_t comm, int root, uint64_t sent,
                             uint64_t received);
/* Before a non-blocking one: the id for its request. */
uint64_t pomp_mpi_icollective(void);

/* ---- Requests. */

enum pomp_mpi_request_kind {
  POMP_MPI_UNKNOWN, /* it is passed over */
  POMP_MPI_SEND,
  POMP_MPI_RECEIVE,
  POMP_MPI_ICOLLECTIVE,
  POMP_MPI_MESSAGE, /* no request, but a message that MPI_Mprobe has matched */
  POMP_MPI_COMM_DUP, /* of MPI_Comm_idup */
  POMP_MPI_RMA_REQUEST, /* its `comm` is the window's handle */
  POMP_MPI_FILE_REQUEST, /* its `comm` is the file's handle */
  POMP_MPI_SEND_IN_PARTS,
  POMP_MPI_RECEIVE_IN_PARTS
};

struct pomp_mpi_request {
  uint64_t handle;
  uint64_t id;        /* 0 for one that is not started yet */
  uint64_t comm;
  int32_t kind;
  int32_t persistent; /* it stays after it is complete */
  int32_t partner;    /* receiver of a persistent send; root of a collective operation */
  int32_t tag;
  int32_t operation;
  uint32_t new_comm;  /* id of the communicator that is made */
  uint64_t sent;
  uint64_t received;
  void *place;        /* where the new communicator's handle will be */
  uint64_t own;       /* the caller's */
};

/* A request has come into being. */
void pomp_mpi_request(const struct pomp_mpi_request *request);
/* Before a persistent one is started: what the second function needs where that fails. */
uint64_t pomp_mpi_request_start(uint64_t request);
void pomp_mpi_request_not_started(uint64_t request, uint64_t before);
/* Whether it is one of a send, not in parts; if so, `own` of it, the receiver and the tag. */
int pomp_mpi_request_send(uint64_t request, uint64_t *own, int *receiver, int *tag);
/* `own` of a persistent one of this kind, 0 for all others. */
uint64_t pomp_mpi_request_own(uint64_t request, int kind);
/* A request that is started and not complete, as it is before a call that may complete it: behind
   that call another thread may have got the same handle for a request of its own. */
struct pomp_mpi_known {
  int32_t kind;      /* POMP_MPI_UNKNOWN for all others */
  int32_t cancelled; /* it was asked to be cancelled */
  uint64_t handle;
  uint64_t words[7]; /* the library's own */
  uint64_t own;      /* the caller's */
};
void pomp_mpi_request_find(uint64_t request, struct pomp_mpi_known *known);
/* It is complete; the rest as the status of a receive has it. Returns where a new communicator's
   handle is, which is then bound to `*new_comm`. */
void *pomp_mpi_request_complete(const struct pomp_mpi_known *known, int sender, int tag,
                                uint64_t bytes, uint32_t *new_comm);
/* It was tested and is not complete; it was cancelled. */
void pomp_mpi_request_tested(const struct pomp_mpi_known *known);
void pomp_mpi_request_cancelled(const struct pomp_mpi_known *known);
/* It is to be cancelled; it is freed. */
void pomp_mpi_request_cancel(uint64_t request);
void pomp_mpi_request_free(uint64_t request);
/* A matched message is received: its communicator's handle, 0 where it is not known. */
uint64_t pomp_mpi_message(uint64_t message);

/* ---- One-sided communication. Ranks are those of the window's communicator; a negative one stands
   for all of them. */

enum pomp_mpi_rma_operation {
  POMP_MPI_PUT = -2,
  POMP_MPI_GET = -1,
  POMP_MPI_ACCUMULATE = 0, /* this and all others as OTF2 numbers them */
  POMP_MPI_COMPARE_AND_SWAP = 3,
  POMP_MPI_SWAP = 4,
  POMP_MPI_FETCH_AND_ADD = 5,
  POMP_MPI_FETCH_AND_ACCUMULATE = 7
};

/* Before a collective operation on windows. */
void pomp_mpi_rma_collective_begin(void);
/* A window is there; `rank` is this process's. */
void pomp_mpi_win_create(uint64_t win, uint64_t comm, uint32_t rank, int with_memory);
/* Before and after one is freed; what the first returns is the second's. */
uint64_t pomp_mpi_win_release(uint64_t win);
void pomp_mpi_win_freed(uint64_t win, uint64_t released);
void pomp_mpi_win_name(uint64_t win, const char *name);
void pomp_mpi_win_fence(uint64_t win);
/* Groups of epochs: a number that tells one from others, and its world ranks, which are said once. */
int pomp_mpi_win_group_is_known(uint64_t hash);
void pomp_mpi_win_group(uint64_t hash, uint32_t size, const int *members);
/* Epochs of access (MPI_Win_start) or exposure (MPI_Win_post) for a group that is known. */
void pomp_mpi_win_epoch(uint64_t win, int is_exposure, uint64_t group);
void pomp_mpi_win_epoch_end(uint64_t win, int is_exposure);
/* Before a lock is asked for; after it is got; after it is given back. */
void pomp_mpi_win_request_lock(uint64_t win, int rank, int is_shared);
void pomp_mpi_win_locked(uint64_t win, int rank, int is_shared);
void pomp_mpi_win_unlocked(uint64_t win, int rank);
void pomp_mpi_win_flushed(uint64_t win, int rank, int is_local);
void pomp_mpi_win_sync(uint64_t win);
/* Before an operation: bytes that go to the other process, and that come from there. The second one
   returns the id for its request. */
void pomp_mpi_rma(uint64_t win, int target, int operation, uint64_t sent, uint64_t received);
uint64_t pomp_mpi_rma_request(uint64_t win, int target, int operation, uint64_t sent,
                              uint64_t received);

/* ---- Files. Modes, flags and places are numbered as in OTF2. */

enum pomp_mpi_file_mode { POMP_MPI_READ, POMP_MPI_WRITE, POMP_MPI_FLUSH };
enum pomp_mpi_file_flag { POMP_MPI_NON_BLOCKING = 1, POMP_MPI_COLLECTIVE_FILE = 2 };

void pomp_mpi_file_open(uint64_t file, uint64_t comm, const char *name, size_t name_bytes,
                        int access, uint32_t creation_flags, uint32_t status_flags);
/* Before and after it is closed; what the first returns is the second's. */
uint64_t pomp_mpi_file_closing(uint64_t file);
void pomp_mpi_file_closed(uint64_t file, uint64_t closing);
void pomp_mpi_file_delete(const char *name, size_t name_bytes);
void pomp_mpi_file_seek(uint64_t file, int64_t request, int whence, uint64_t result);
/* Before an operation: its id. Then either its end, or the end of the call that has begun it. */
uint64_t pomp_mpi_file_begin(uint64_t file, int mode, uint32_t flags, uint64_t bytes);
void pomp_mpi_file_end(uint64_t file, uint64_t id, int mode, uint64_t bytes);
void pomp_mpi_file_issued(uint64_t file, uint64_t id);
/* It ends with another call, which asks for its id. */
void pomp_mpi_file_split(uint64_t file, uint64_t id);
uint64_t pomp_mpi_file_splitting(uint64_t file);

#ifdef __cplusplus
}
#endif

#endif
