/* What the ranks of an analysis need of MPI, in functions with types that all MPI libraries have in
   common. The compiler of an MPI library compiles this file, and pompeii loads the result: a binary
   that is linked with no MPI works with all of them. All functions but those about errors return
   MPI's error code. All ranks call them in the same order, from one thread. */
#include <mpi.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* MPI counts elements with int. A longer message is sent in parts. */
#define PART_BYTES ((uint64_t)1 << 30)
/* A rank that waits tries without a pause for so long. A large message between processes of one host
   often has many parts, each of which comes when both processes try, so a pause would be one for each
   part. */
#define TRIES_AT_ONCE_NS 5000000
/* It reads the clock after so many tries. */
#define TRIES_BETWEEN_READINGS 16
/* The longest pause between two tries. */
#define PAUSE_MAX_NS 1000000

static MPI_Comm all_ranks;
static int own_rank, ranks;

int pompeii_ranks_init(int *rank, int *size) {
  int provided = 0;
  int error = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
  if (error != MPI_SUCCESS) return error;
  error = MPI_Comm_dup(MPI_COMM_WORLD, &all_ranks);
  if (error != MPI_SUCCESS) return error;
  /* Until here an error ends the job with MPI's own message. */
  MPI_Comm_set_errhandler(all_ranks, MPI_ERRORS_RETURN);
  MPI_Comm_rank(all_ranks, &own_rank);
  MPI_Comm_size(all_ranks, &ranks);
  *rank = own_rank;
  *size = ranks;
  return MPI_SUCCESS;
}

/* Waits until the requests are complete. The blocking functions of MPI would need the processor for
   themselves, and other ranks may have to run on it. */
static int wait_for(int count, MPI_Request *requests) {
  struct timespec begin, now, pause = {0, 1000};
  clock_gettime(CLOCK_MONOTONIC, &begin);
  int has_patience = 1;
  for (long tries = 1;; tries++) {
    int done = 0;
    int error = MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE);
    if (error != MPI_SUCCESS || done) return error;
    if (has_patience) {
      sched_yield();
      if (tries % TRIES_BETWEEN_READINGS == 0) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        int64_t s = now.tv_sec - begin.tv_sec;
        has_patience = s * 1000000000 + (now.tv_nsec - begin.tv_nsec) < TRIES_AT_ONCE_NS;
      }
      continue;
    }
    nanosleep(&pause, NULL);
    pause.tv_nsec = pause.tv_nsec < PAUSE_MAX_NS / 2 ? 2 * pause.tv_nsec : PAUSE_MAX_NS;
  }
}

/* Each rank tells each rank how many bytes it has for it. */
int pompeii_ranks_sizes(const uint64_t *to, uint64_t *from) {
  MPI_Request request;
  int error =
      MPI_Ialltoall((void *)to, 1, MPI_UINT64_T, from, 1, MPI_UINT64_T, all_ranks, &request);
  return error == MPI_SUCCESS ? wait_for(1, &request) : error;
}

static uint64_t parts(const uint64_t *bytes) {
  uint64_t sum = 0;
  for (int rank = 0; rank < ranks; rank++) sum += (bytes[rank] + PART_BYTES - 1) / PART_BYTES;
  return sum;
}

/* The bytes themselves, of which all ranks know the sizes. */
int pompeii_ranks_bytes(const unsigned char *const *to, const uint64_t *to_bytes,
                        unsigned char *const *from, const uint64_t *from_bytes) {
  uint64_t count = parts(to_bytes) + parts(from_bytes);
  if (count == 0) return MPI_SUCCESS;
  MPI_Request *requests = malloc(count * sizeof *requests);
  if (!requests) return MPI_ERR_NO_MEM;
  int made = 0, error = MPI_SUCCESS;
  for (int step = 0; step < 2 * ranks && error == MPI_SUCCESS; step++) {
    /* Receives come first, so that each message finds its place. Each rank begins with the rank
       after it: not all of them send to the same one at a time. */
    int is_send = step >= ranks, rank = (own_rank + 1 + step) % ranks;
    uint64_t bytes = is_send ? to_bytes[rank] : from_bytes[rank];
    for (uint64_t at = 0; at < bytes && error == MPI_SUCCESS; at += PART_BYTES) {
      int part = (int)(bytes - at < PART_BYTES ? bytes - at : PART_BYTES);
      MPI_Request *request = &requests[made];
      if (is_send)
        error = MPI_Isend((void *)(to[rank] + at), part, MPI_BYTE, rank, 0, all_ranks, request);
      else
        error = MPI_Irecv(from[rank] + at, part, MPI_BYTE, rank, 0, all_ranks, request);
      if (error == MPI_SUCCESS) made++;
    }
  }
  if (error == MPI_SUCCESS) error = wait_for(made, requests);
  free(requests);
  return error;
}

/* The smallest of the values of all ranks. MPICH 4.0 compares unsigned numbers of 64 bits as if they
   were signed. With the highest bit inverted their order is that of signed numbers. */
int pompeii_ranks_least(uint64_t *value) {
  uint64_t own = *value ^ (uint64_t)1 << 63, least = own;
  MPI_Request request;
  int error = MPI_Iallreduce(&own, &least, 1, MPI_INT64_T, MPI_MIN, all_ranks, &request);
  if (error == MPI_SUCCESS) error = wait_for(1, &request);
  *value = least ^ (uint64_t)1 << 63;
  return error;
}

/* Ends the processes of all ranks. */
void pompeii_ranks_abort(int code) { MPI_Abort(MPI_COMM_WORLD, code); }

int pompeii_ranks_end(void) { return MPI_Finalize(); }

/* The text of an error, at most so long with its end. */
void pompeii_ranks_text(int error, char *text, int room) {
  char all[MPI_MAX_ERROR_STRING + 1] = "";
  int length = 0;
  if (room <= 0) return;
  if (MPI_Error_string(error, all, &length) != MPI_SUCCESS) length = 0;
  if (length >= room) length = room - 1;
  memcpy(text, all, (size_t)length);
  text[length] = 0;
}
