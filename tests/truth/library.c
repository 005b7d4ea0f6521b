// Part of library_threads and good_library: other people's library with threads of its own, which
// meet after each piece of work; they spin, as such libraries do.
#include "truth.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#define MEETINGS 40

struct team {
    int threads;
    long units;
    atomic_int arrived;
};

static void meet(struct team *team, int turn)
{
    atomic_fetch_add(&team->arrived, 1);
    for (long spins = 0; atomic_load(&team->arrived) < turn * team->threads; spins++)
        if (spins > 100000)
            sched_yield();
}

static void *take_part(void *argument)
{
    struct team *team = argument;
    for (int piece = 1; piece <= MEETINGS; piece++) {
        work(team->units / MEETINGS / team->threads);
        meet(team, piece);
    }
    return NULL;
}

void library_solve(long units)
{
    const char *text = getenv("LIBRARY_THREADS");
    struct team team = {text ? atoi(text) : 2, units, 0};
    pthread_t thread[16];
    for (int i = 1; i < team.threads; i++)
        pthread_create(&thread[i], NULL, take_part, &team);
    take_part(&team);
    for (int i = 1; i < team.threads; i++)
        pthread_join(thread[i], NULL);
}
