/*
 * libpompeii-threads.so: functions of POSIX threads, under their names in the C library. A program
 * loads this library in front of the C library; each function calls the next one of its name and
 * reports the call to libpomp (pomp_threads.h). It is a library of its own, because libpomp is in
 * programs whose threads are not observed, too.
 *
 * What may have to wait tries first whether it has to: only a failed try is a wait whose time is
 * taken. The C library tries in the same way, so that a program has the same results.
 *
 * To add a function: its lines here, its class in model/src/pthread.rs, and its row in
 * "Threads of POSIX and C++" of the manual.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <time.h>

#include "next.h"
#include "pomp_threads.h"

/* Functions for conditions have had other ones of their names before glibc 2.3.2. */
#if defined(__x86_64__)
#define OF_CONDITIONS "GLIBC_2.3.2"
#else
#define OF_CONDITIONS NULL
#endif

/* What a function of this name knows: the next one, with its type, and its region. Where the C library
   has none of this name, the program cannot have been linked with one either. */
#define FUNCTION_OF(own, version)                                                                  \
  NEXT_FUNCTION(own, version);                                                                     \
  static struct pomp_threads_routine routine_of_##own = { #own, 0 }
#define FUNCTION(own) FUNCTION_OF(own, NULL)

/* A function that is reported when it has returned. */
#define CALLS_OF(own, version, parameters, arguments)                                              \
  FUNCTION_OF(own, version);                                                                       \
  PUBLIC int own parameters                                                                        \
  {                                                                                                \
    uint64_t begun = pomp_threads_begin();                                                         \
    int result = NEXT(own) arguments;                                                              \
    if (begun)                                                                                     \
      REPORT(pomp_threads_called(&routine_of_##own, CALLER, begun));                               \
    return result;                                                                                 \
  }
#define CALLS(own, parameters, arguments) CALLS_OF(own, NULL, parameters, arguments)

/* ---- Creating threads, and waiting for their ends. */

/* What an observed thread calls instead of its function, which it then calls without a frame of this
   library around: samples inside of such frames are those of calls. */
static void *begin(void *passed)
{
  struct pomp_thread thread = pomp_thread_begins(passed);
  return thread.start(thread.argument);
}

FUNCTION(pthread_create);
PUBLIC int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                          void *argument)
{
  struct pomp_thread *made = pomp_thread_create(CALLER, start, argument);
  if (!made)
    return NEXT(pthread_create)(thread, attributes, start, argument);
  uint64_t begun = pomp_threads_begin();
  int result = NEXT(pthread_create)(thread, attributes, begin, made);
  if (result)
    REPORT(pomp_thread_forget(made));
  if (begun)
    REPORT(pomp_threads_called(&routine_of_pthread_create, CALLER, begun));
  return result;
}

int pthread_clockjoin_np(pthread_t, void **, clockid_t, const struct timespec *);
CALLS(pthread_join, (pthread_t thread, void **value), (thread, value))
CALLS(pthread_timedjoin_np, (pthread_t thread, void **value, const struct timespec *until),
      (thread, value, until))
CALLS(pthread_clockjoin_np,
      (pthread_t thread, void **value, clockid_t clock, const struct timespec *until),
      (thread, value, clock, until))

/* ---- Mutexes. */

FUNCTION(pthread_mutex_trylock);

/* Whether a call has acquired the mutex, whose last holder may have ended with it. */
static int has_acquired(int result)
{
  return result == 0 || result == EOWNERDEAD;
}

/* A function that acquires a mutex, and waits for it if another thread has it. A try that fails for
   another reason fails again in the function itself. */
#define LOCKS(own, parameters, arguments)                                                          \
  FUNCTION(own);                                                                                   \
  PUBLIC int own parameters                                                                        \
  {                                                                                                \
    if (!pomp_threads_observes() || !found(&next_of_pthread_mutex_trylock))                        \
      return NEXT(own) arguments;                                                                  \
    int result = NEXT(pthread_mutex_trylock)(mutex);                                               \
    if (__builtin_expect(has_acquired(result), 1)) {                                               \
      REPORT(pomp_mutex_taken(&routine_of_##own, CALLER, mutex));                                  \
      return result;                                                                               \
    }                                                                                              \
    uint64_t begun = pomp_threads_begin();                                                         \
    result = NEXT(own) arguments;                                                                  \
    REPORT(pomp_mutex_waited(&routine_of_##own, CALLER, begun, mutex, has_acquired(result)));      \
    return result;                                                                                 \
  }

int pthread_mutex_clocklock(pthread_mutex_t *, clockid_t, const struct timespec *);
LOCKS(pthread_mutex_lock, (pthread_mutex_t *mutex), (mutex))
LOCKS(pthread_mutex_timedlock, (pthread_mutex_t *mutex, const struct timespec *until),
      (mutex, until))
LOCKS(pthread_mutex_clocklock,
      (pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until),
      (mutex, clock, until))

PUBLIC int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
  int result = NEXT(pthread_mutex_trylock)(mutex);
  if (!pomp_threads_observes())
    return result;
  if (has_acquired(result))
    REPORT(pomp_mutex_taken(&routine_of_pthread_mutex_trylock, CALLER, mutex));
  else
    REPORT(pomp_threads_counted(&routine_of_pthread_mutex_trylock, CALLER));
  return result;
}

FUNCTION(pthread_mutex_unlock);
PUBLIC int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
  if (pomp_threads_observes())
    REPORT(pomp_mutex_freed(&routine_of_pthread_mutex_unlock, CALLER, mutex));
  return NEXT(pthread_mutex_unlock)(mutex);
}

NEXT_FUNCTION(pthread_mutex_init, NULL);
PUBLIC int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
  pomp_mutex_reset(mutex);
  return NEXT(pthread_mutex_init)(mutex, attributes);
}

NEXT_FUNCTION(pthread_mutex_destroy, NULL);
PUBLIC int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
  pomp_mutex_reset(mutex);
  return NEXT(pthread_mutex_destroy)(mutex);
}

/* ---- Conditions. */

#define WAITS(own, parameters, arguments)                                                          \
  FUNCTION_OF(own, OF_CONDITIONS);                                                                 \
  PUBLIC int own parameters                                                                        \
  {                                                                                                \
    uint64_t begun = pomp_threads_begin();                                                         \
    if (begun)                                                                                     \
      REPORT(pomp_condition_waits(mutex));                                                         \
    int result = NEXT(own) arguments;                                                              \
    if (begun)                                                                                     \
      REPORT(pomp_condition_waited(&routine_of_##own, CALLER, begun, mutex));                      \
    return result;                                                                                 \
  }

int pthread_cond_clockwait(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
WAITS(pthread_cond_wait, (pthread_cond_t *condition, pthread_mutex_t *mutex), (condition, mutex))
WAITS(pthread_cond_timedwait,
      (pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until),
      (condition, mutex, until))
WAITS(pthread_cond_clockwait,
      (pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
       const struct timespec *until),
      (condition, mutex, clock, until))
CALLS_OF(pthread_cond_signal, OF_CONDITIONS, (pthread_cond_t *condition), (condition))
CALLS_OF(pthread_cond_broadcast, OF_CONDITIONS, (pthread_cond_t *condition), (condition))

/* ---- Barriers, locks for readers and writers, semaphores. */

CALLS(pthread_barrier_wait, (pthread_barrier_t *barrier), (barrier))

/* Without a try, after which the thread would not be cancelled in them. */
CALLS(sem_wait, (sem_t *semaphore), (semaphore))
CALLS(sem_timedwait, (sem_t *semaphore, const struct timespec *until), (semaphore, until))

/* A function that waits unless its try succeeds, which is not reported by itself. */
#define TRIES(own, try, of_try, parameters, arguments)                                             \
  FUNCTION(own);                                                                                   \
  PUBLIC int own parameters                                                                        \
  {                                                                                                \
    if (!pomp_threads_observes() || !found(&next_of_##try))                                        \
      return NEXT(own) arguments;                                                                  \
    if (NEXT(try) of_try == 0) {                                                                   \
      REPORT(pomp_threads_counted(&routine_of_##own, CALLER));                                     \
      return 0;                                                                                    \
    }                                                                                              \
    uint64_t begun = pomp_threads_begin();                                                         \
    int result = NEXT(own) arguments;                                                              \
    REPORT(pomp_threads_called(&routine_of_##own, CALLER, begun));                                 \
    return result;                                                                                 \
  }

NEXT_FUNCTION(pthread_rwlock_tryrdlock, NULL);
NEXT_FUNCTION(pthread_rwlock_trywrlock, NULL);
TRIES(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, (lock), (pthread_rwlock_t *lock), (lock))
TRIES(pthread_rwlock_wrlock, pthread_rwlock_trywrlock, (lock), (pthread_rwlock_t *lock), (lock))
TRIES(pthread_rwlock_timedrdlock, pthread_rwlock_tryrdlock, (lock),
      (pthread_rwlock_t *lock, const struct timespec *until), (lock, until))
TRIES(pthread_rwlock_timedwrlock, pthread_rwlock_trywrlock, (lock),
      (pthread_rwlock_t *lock, const struct timespec *until), (lock, until))

/* ---- The begin of the program. */

/* libpomp, which this library needs, has started before it. */
__attribute__((constructor)) static void start(void)
{
  pomp_threads_start();
}
