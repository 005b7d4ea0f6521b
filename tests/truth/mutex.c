// Each thread of POSIX keeps the mutex while it does what needs no protection.
// cause: lock
// advice: none
// body: sleeps
// threads: 3 4
// run: --pthreads
// vary: UNIT_US=1500..2500
#include "truth.h"
#include <pthread.h>
#define ROUNDS (420000 / UNIT_US / THREADS)

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long sum;

static void add(void)
{
#ifdef REPAIRED
    rest(UNIT_US);
#endif
    pthread_mutex_lock(&mutex); // <-- cause
#ifndef REPAIRED
    rest(UNIT_US);
#endif
    sum++;
    pthread_mutex_unlock(&mutex);
}

static void *work_in_rounds(void *none)
{
    for (int round = 0; round < ROUNDS; round++) {
        rest(UNIT_US);
        add();
    }
    return none;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work_in_rounds, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%ld\n", sum);
}
