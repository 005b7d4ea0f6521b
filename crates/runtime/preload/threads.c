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
  /* The thread frees it. */
  uint64_t number = made->number;
  uint64_t begun = pomp_threads_begin();
  int result = NEXT(pthread_create)(thread, attributes, begin, made);
  if (result)
    REPORT(pomp_thread_forget(made));
  if (begun)
    REPORT(pomp_thread_created(&routine_of_pthread_create, CALLER, begun, result ? 0 : number));
  return result;
}

/* A function that waits for the end of a thread. */
#define JOINS(own, parameters, arguments)                                                          \
  FUNCTION(own);                                                                                   \
  PUBLIC int own parameters                                                                        \
  {                                                                                                \
    uint64_t begun = pomp_threads_begin();                                                         \
    int result = NEXT(own) arguments;                                                              \
    if (begun)                                                                                     \
      REPORT(pomp_thread_joined(&routine_of_##own, CALLER, begun, (uintptr_t)thread,               \
                                result == 0));                                                     \
    return result;                                                                                 \
  }

int pthread_clockjoin_np(pthread_t, void **, clockid_t, const struct timespec *);
JOINS(pthread_join, (pthread_t thread, void **value), (thread, value))
JOINS(pthread_timedjoin_np, (pthread_t thread, void **value, const struct timespec *until),
      (thread, value, until))
JOINS(pthread_clockjoin_np,
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
   another reason fails again in the function itself. pomp_mutex_taken and pomp_mutex_freed save errno
   themselves if they have to, and find out themselves whether the thread is observed. */
#define LOCKS(own, parameters, arguments)                                                          \
  FUNCTION(own);                                                                                   \
  PUBLIC int own parameters                                                                        \
  {                                                                                                \
    if (!found(&next_of_pthread_mutex_trylock))                                                    \
      return NEXT(own) arguments;                                                                  \
    int result = NEXT(pthread_mutex_trylock)(mutex);                                               \
    if (__builtin_expect(has_acquired(result), 1)) {                                               \
      pomp_mutex_taken(&routine_of_##own, CALLER, mutex);                                          \
      return result;                                                                               \
    }                                                                                              \
    uint64_t begun = pomp_threads_begin();                                                         \
    result = NEXT(own) arguments;                                                                  \
    if (begun)                                                                                     \
      REPORT(pomp_mutex_waited(&routine_of_##own, CALLER, begun, mutex, has_acquired(result)));    \
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
  if (has_acquired(result))
    pomp_mutex_taken(&routine_of_pthread_mutex_trylock, CALLER, mutex);
  else if (pomp_threads_observes())
    REPORT(pomp_threads_counted(&routine_of_pthread_mutex_trylock, CALLER));
  return result;
}

FUNCTION(pthread_mutex_unlock);
PUBLIC int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
  pomp_mutex_freed(&routine_of_pthread_mutex_unlock, CALLER, mutex);
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
      REPORT(pomp_condition_waited(&routine_of_##own, CALLER, begun, result ? NULL : condition,    \
                                   mutex));                                                        \
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

/* A function that lets threads go on that wait for an object. Which thread calls it is known before
   these go on. */
#define SIGNALS(own, version, type)                                                                \
  FUNCTION_OF(own, version);                                                                       \
  PUBLIC int own(type *object)                                                                     \
  {                                                                                                \
    if (pomp_threads_observes())                                                                   \
      REPORT(pomp_threads_signals(&routine_of_##own, CALLER, object));                             \
    uint64_t begun = pomp_threads_begin();                                                         \
    int result = NEXT(own)(object);                                                                \
    if (begun)                                                                                     \
      REPORT(pomp_threads_called(&routine_of_##own, CALLER, begun));                               \
    return result;                                                                                 \
  }

SIGNALS(pthread_cond_signal, OF_CONDITIONS, pthread_cond_t)
SIGNALS(pthread_cond_broadcast, OF_CONDITIONS, pthread_cond_t)

/* ---- Barriers. */

/* Found when it is called, because linking against it would need a C library of today: there it
   has another version than in libpthread. */
NEXT_FUNCTION(pthread_barrierattr_getpshared, NULL);
NEXT_FUNCTION(pthread_barrier_init, NULL);
PUBLIC int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes,
                                unsigned count)
{
  int is_shared = PTHREAD_PROCESS_PRIVATE;
  if (attributes)
    NEXT(pthread_barrierattr_getpshared)(attributes, &is_shared);
  /* Threads of other processes are not seen to arrive. */
  pomp_barrier_reset(barrier, is_shared == PTHREAD_PROCESS_PRIVATE ? count : 0);
  return NEXT(pthread_barrier_init)(barrier, attributes, count);
}

NEXT_FUNCTION(pthread_barrier_destroy, NULL);
PUBLIC int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
  int result = NEXT(pthread_barrier_destroy)(barrier);
  pomp_barrier_reset(barrier, 0);
  return result;
}

FUNCTION(pthread_barrier_wait);
PUBLIC int pthread_barrier_wait(pthread_barrier_t *barrier)
{
  uint64_t begun = pomp_threads_begin();
  uint64_t arrival;
  REPORT(arrival = pomp_barrier_arrives(barrier, begun));
  int result = NEXT(pthread_barrier_wait)(barrier);
  if (begun)
    REPORT(pomp_barrier_left(&routine_of_pthread_barrier_wait, CALLER, begun, barrier, arrival));
  return result;
}

/* ---- Semaphores. */

/* Without a try, after which the thread would not be cancelled in them. */
#define TAKES(own, parameters, arguments)                                                          \
  FUNCTION(own);                                                                                   \
  PUBLIC int own parameters                                                                        \
  {                                                                                                \
    uint64_t begun = pomp_threads_begin();                                                         \
    int result = NEXT(own) arguments;                                                              \
    if (begun)                                                                                     \
      REPORT(pomp_semaphore_waited(&routine_of_##own, CALLER, begun, result ? NULL : semaphore));  \
    return result;                                                                                 \
  }

int sem_clockwait(sem_t *, clockid_t, const struct timespec *);
TAKES(sem_wait, (sem_t *semaphore), (semaphore))
TAKES(sem_timedwait, (sem_t *semaphore, const struct timespec *until), (semaphore, until))
TAKES(sem_clockwait, (sem_t *semaphore, clockid_t clock, const struct timespec *until),
      (semaphore, clock, until))
SIGNALS(sem_post, NULL, sem_t)

/* ---- Locks for readers and writers. */

#define SHARES(own, try, is_writer, parameters, arguments)                                         \
  FUNCTION(own);                                                                                   \
  PUBLIC int own parameters                                                                        \
  {                                                                                                \
    if (!pomp_threads_observes() || !found(&next_of_##try))                                        \
      return NEXT(own) arguments;                                                                  \
    int result = NEXT(try)(lock);                                                                  \
    if (result == 0) {                                                                             \
      REPORT(pomp_rwlock_taken(&routine_of_##own, CALLER, lock, is_writer));                       \
      return result;                                                                               \
    }                                                                                              \
    uint64_t begun = pomp_threads_begin();                                                         \
    result = NEXT(own) arguments;                                                                  \
    REPORT(pomp_rwlock_waited(&routine_of_##own, CALLER, begun, lock, is_writer, result == 0));    \
    return result;                                                                                 \
  }

#define TRIES_TO_SHARE(own, is_writer)                                                             \
  FUNCTION(own);                                                                                   \
  PUBLIC int own(pthread_rwlock_t *lock)                                                           \
  {                                                                                                \
    int result = NEXT(own)(lock);                                                                  \
    if (!pomp_threads_observes())                                                                  \
      return result;                                                                               \
    if (result == 0)                                                                               \
      REPORT(pomp_rwlock_taken(&routine_of_##own, CALLER, lock, is_writer));                       \
    else                                                                                           \
      REPORT(pomp_threads_counted(&routine_of_##own, CALLER));                                     \
    return result;                                                                                 \
  }

int pthread_rwlock_clockrdlock(pthread_rwlock_t *, clockid_t, const struct timespec *);
int pthread_rwlock_clockwrlock(pthread_rwlock_t *, clockid_t, const struct timespec *);
TRIES_TO_SHARE(pthread_rwlock_tryrdlock, 0)
TRIES_TO_SHARE(pthread_rwlock_trywrlock, 1)
SHARES(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, 0, (pthread_rwlock_t *lock), (lock))
SHARES(pthread_rwlock_wrlock, pthread_rwlock_trywrlock, 1, (pthread_rwlock_t *lock), (lock))
SHARES(pthread_rwlock_timedrdlock, pthread_rwlock_tryrdlock, 0,
       (pthread_rwlock_t *lock, const struct timespec *until), (lock, until))
SHARES(pthread_rwlock_timedwrlock, pthread_rwlock_trywrlock, 1,
       (pthread_rwlock_t *lock, const struct timespec *until), (lock, until))
SHARES(pthread_rwlock_clockrdlock, pthread_rwlock_tryrdlock, 0,
       (pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until),
       (lock, clock, until))
SHARES(pthread_rwlock_clockwrlock, pthread_rwlock_trywrlock, 1,
       (pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until),
       (lock, clock, until))

FUNCTION(pthread_rwlock_unlock);
PUBLIC int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
  if (pomp_threads_observes())
    REPORT(pomp_rwlock_freed(&routine_of_pthread_rwlock_unlock, CALLER, lock));
  return NEXT(pthread_rwlock_unlock)(lock);
}

#define RESETS(own, parameters, arguments)                                                         \
  NEXT_FUNCTION(own, NULL);                                                                        \
  PUBLIC int own parameters                                                                        \
  {                                                                                                \
    pomp_rwlock_reset(lock);                                                                       \
    return NEXT(own) arguments;                                                                    \
  }

RESETS(pthread_rwlock_init, (pthread_rwlock_t *lock, const pthread_rwlockattr_t *attributes),
       (lock, attributes))
RESETS(pthread_rwlock_destroy, (pthread_rwlock_t *lock), (lock))

/* ---- The begin of the program. */

/* libpomp, which this library needs, has started before it. */
__attribute__((constructor)) static void start(void)
{
  pomp_threads_start();
}
