/*
 * The functions by which a library with functions of POSIX threads (preload/threads.c) passes data to
 * libpomp.
 *
 * A call that may wait is reported when it has returned. Only pomp_threads_begin comes before it:
 *
 *   uint64_t begun = pomp_threads_begin();
 *   int result = next_pthread_join(thread, value);
 *   if (begun)
 *     pomp_threads_called(&routine, caller, begun);
 *
 * They do not change errno.
 */
#ifndef POMP_THREADS_H
#define POMP_THREADS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A function of POSIX threads; static. `region` belongs to libpomp and is 0 at first. */
struct pomp_threads_routine {
  const char *name;
  uint32_t region;
};

/* A thread that is created: what it is to call, and with what, and its number in the process. */
struct pomp_thread {
  void *(*start)(void *);
  void *argument;
  uint64_t number;
};

/* Before the program's `main`: begins the measurement, if this is the program to be measured. */
void pomp_threads_start(void);

/* Whether calls of this thread are observed. */
int pomp_threads_observes(void);

/* The same: when the call begins; 0 if it is not observed, and then nothing is to be reported. */
uint64_t pomp_threads_begin(void);

/* Before a thread is created: what pomp_thread_begins and the thread need; NULL if the thread is not
   observed. */
struct pomp_thread *pomp_thread_create(uintptr_t caller, void *(*start)(void *), void *argument);

/* The thread could not be created. */
void pomp_thread_forget(struct pomp_thread *thread);

/* The calling thread begins. Returns what it is to call, and frees the memory. */
struct pomp_thread pomp_thread_begins(struct pomp_thread *thread);

/* In all functions below, `caller` is the address that the call returns to, and `begun` is what
   pomp_threads_begin has returned. */

/* The call has returned. */
void pomp_threads_called(struct pomp_threads_routine *routine, uintptr_t caller, uint64_t begun);

/* The call has created the thread with this number; 0: it could not. */
void pomp_thread_created(struct pomp_threads_routine *routine, uintptr_t caller, uint64_t begun,
                         uint64_t number);

/* The call has acquired something that was free, so it has not waited. */
void pomp_threads_counted(struct pomp_threads_routine *routine, uintptr_t caller);

/* The same for a mutex, also if the thread is not observed. */
void pomp_mutex_taken(struct pomp_threads_routine *routine, uintptr_t caller, const void *mutex);

/* The call has waited for a mutex, and has acquired it or has not. */
void pomp_mutex_waited(struct pomp_threads_routine *routine, uintptr_t caller, uint64_t begun,
                       const void *mutex, int is_acquired);

/* Before the thread gives a mutex back, also if it is not observed. */
void pomp_mutex_freed(struct pomp_threads_routine *routine, uintptr_t caller, const void *mutex);

/* The mutex is new or gone. */
void pomp_mutex_reset(const void *mutex);

/* Before the thread waits for a condition, which gives the mutex back, and after it. `condition` is
   NULL if no other thread has ended the waiting, for example after a time limit. */
void pomp_condition_waits(const void *mutex);
void pomp_condition_waited(struct pomp_threads_routine *routine, uintptr_t caller, uint64_t begun,
                           const void *condition, const void *mutex);

/* Before a call that lets threads go on that wait for this condition or semaphore. */
void pomp_threads_signals(struct pomp_threads_routine *routine, uintptr_t caller, const void *object);

/* The call has waited for a semaphore; NULL as above. */
void pomp_semaphore_waited(struct pomp_threads_routine *routine, uintptr_t caller, uint64_t begun,
                           const void *semaphore);

/* The call has waited for the end of a thread, which has ended or has not. */
void pomp_thread_joined(struct pomp_threads_routine *routine, uintptr_t caller, uint64_t begun,
                        uintptr_t thread, int is_ended);

/* The barrier is new, for this number of threads; 0: it is gone, or the number is not known. */
void pomp_barrier_reset(const void *barrier, uint32_t threads);

/* Before the thread waits at the barrier, also if its calls are not observed (`begun` is 0). Returns
   what pomp_barrier_left needs after it. */
uint64_t pomp_barrier_arrives(const void *barrier, uint64_t begun);
void pomp_barrier_left(struct pomp_threads_routine *routine, uintptr_t caller, uint64_t begun,
                       const void *barrier, uint64_t arrival);

/* The same as for mutexes, of locks for readers and writers. */
void pomp_rwlock_taken(struct pomp_threads_routine *routine, uintptr_t caller, const void *lock,
                       int is_writer);
void pomp_rwlock_waited(struct pomp_threads_routine *routine, uintptr_t caller, uint64_t begun,
                        const void *lock, int is_writer, int is_acquired);
void pomp_rwlock_freed(struct pomp_threads_routine *routine, uintptr_t caller, const void *lock);
void pomp_rwlock_reset(const void *lock);

#ifdef __cplusplus
}
#endif

#endif
