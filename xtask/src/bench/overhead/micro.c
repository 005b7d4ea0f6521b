/* One kind of construct very often: micro KIND COUNT. Prints processor time and wall time in
 * nanoseconds per construct that was executed, whoever executed it. `clock` and `floor` are what
 * every event costs at least: reading the clock, and storing 16 bytes with it in fresh memory. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Processor time of all threads. What a process's own clock says of threads that are running is as old
 * as the last tick of the scheduler. */
static double cpu_seconds(void)
{
    double sum = 0;
#pragma omp parallel reduction(+ : sum)
    sum += seconds(CLOCK_THREAD_CPUTIME_ID);
    return sum;
}

static uint64_t ticks(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
}

#define EACH(i, count) for (long i = 0; i < (count); i++)
#define NOTHING(value) __asm__ volatile("" : : "r"(value))

static long threads(void)
{
    return omp_get_max_threads();
}

static long run_clock(long count)
{
    EACH(i, count) NOTHING(ticks());
    return count;
}

enum { FLOOR_BYTES = 1 << 26 };
static uint64_t *fresh;

static long run_floor(long count)
{
    if (!fresh) {
        fresh = malloc(FLOOR_BYTES);
        memset(fresh, 1, FLOOR_BYTES);
    }
    EACH(i, count) {
        uint64_t *to = fresh + 2 * (i % (FLOOR_BYTES / 16));
        to[0] = ticks();
        to[1] = (uint64_t)i;
    }
    NOTHING(fresh);
    return count;
}

static long run_function(long count)
{
#pragma omp parallel
    EACH(i, count) {
#pragma pomp inst begin(work)
        NOTHING(i);
#pragma pomp inst end(work)
    }
    return count * threads();
}

/* The same without what comes before the others: a trace's memory is touched for the first time. */
static long run_first(long count)
{
    return run_function(count);
}

/* Eight in turn, one behind the other. */
static long run_functions(long count)
{
#pragma omp parallel
    EACH(i, count / 8) {
#pragma pomp inst begin(a)
        NOTHING(i);
#pragma pomp inst end(a)
#pragma pomp inst begin(b)
        NOTHING(i);
#pragma pomp inst end(b)
#pragma pomp inst begin(c)
        NOTHING(i);
#pragma pomp inst end(c)
#pragma pomp inst begin(d)
        NOTHING(i);
#pragma pomp inst end(d)
#pragma pomp inst begin(e)
        NOTHING(i);
#pragma pomp inst end(e)
#pragma pomp inst begin(f)
        NOTHING(i);
#pragma pomp inst end(f)
#pragma pomp inst begin(g)
        NOTHING(i);
#pragma pomp inst end(g)
#pragma pomp inst begin(h)
        NOTHING(i);
#pragma pomp inst end(h)
    }
    return count / 8 * 8 * threads();
}

static void callee(long i)
{
#pragma pomp inst begin(callee)
    NOTHING(i);
#pragma pomp inst end(callee)
}

/* For the benchmark there are 4,000 of them in place of the next line. */
static void (*const callees[])(long) = { callee };

/* One of the first `number` callees each time, in no order that repeats. */
static long call_one_of(long count, uint64_t number)
{
    uint64_t most = sizeof callees / sizeof *callees;
    if (number > most)
        number = most;
#pragma omp parallel
    {
        uint64_t state = 88172645463325252u;
        EACH(i, count) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            callees[(state >> 32) * number >> 32](i);
        }
    }
    return count * threads();
}

static long run_ten(long count)
{
    return call_one_of(count, 10);
}

static long run_wide(long count)
{
    return call_one_of(count, 4000);
}

static long run_barrier(long count)
{
#pragma omp parallel
    EACH(i, count) {
#pragma omp barrier
    }
    return count * threads();
}

static long run_critical(long count)
{
#pragma omp parallel
    EACH(i, count) {
#pragma omp critical
        NOTHING(i);
    }
    return count * threads();
}

static long run_atomic(long count)
{
    long sum = 0;
#pragma omp parallel
    EACH(i, count) {
#pragma omp atomic
        sum++;
    }
    NOTHING(sum);
    return count * threads();
}

static long run_single(long count)
{
#pragma omp parallel
    EACH(i, count) {
#pragma omp single nowait
        NOTHING(i);
    }
    return count * threads();
}

static long run_master(long count)
{
#pragma omp parallel
    EACH(i, count) {
#pragma omp master
        NOTHING(i);
    }
    return count;
}

static long run_loop(long count)
{
#pragma omp parallel
    EACH(i, count) {
        int j;
#pragma omp for
        for (j = 0; j < 2; j++)
            NOTHING(j);
    }
    return count * threads();
}

static long run_parallel(long count)
{
    EACH(i, count) {
#pragma omp parallel
        NOTHING(i);
    }
    return count;
}

static long run_task(long count)
{
#pragma omp parallel
    {
#pragma omp single
        EACH(i, count) {
#pragma omp task firstprivate(i)
            NOTHING(i);
        }
    }
    return count;
}

static long run_undeferred(long count)
{
#pragma omp parallel
    {
#pragma omp single
        EACH(i, count) {
#pragma omp task firstprivate(i) if (count < 0)
            NOTHING(i);
        }
    }
    return count;
}

static long run_taskwait(long count)
{
#pragma omp parallel
    {
#pragma omp single
        EACH(i, count) {
#pragma omp task firstprivate(i)
            NOTHING(i);
#pragma omp taskwait
        }
    }
    return count;
}

#define KIND(kind) { #kind, run_##kind }
static const struct {
    const char *name;
    long (*run)(long);
} kinds[] = {
    KIND(clock),    KIND(floor),  KIND(function), KIND(first),    KIND(functions),
    KIND(ten),      KIND(wide),   KIND(barrier),  KIND(critical), KIND(atomic),
    KIND(single),   KIND(master), KIND(loop),     KIND(parallel), KIND(task),
    KIND(undeferred), KIND(taskwait),
};

int main(int argc, char **argv)
{
    if (argc == 3)
        for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++)
            if (!strcmp(argv[1], kinds[k].name)) {
                long count = atol(argv[2]);
                /* Threads, handles and buffers are there afterwards. */
                kinds[k].run(kinds[k].run == run_first ? 1 : count / 2 + 1);
                double wall = seconds(CLOCK_MONOTONIC), cpu = cpu_seconds();
                double times = 1e9 / (double)kinds[k].run(count);
                cpu = cpu_seconds() - cpu;
                wall = seconds(CLOCK_MONOTONIC) - wall;
                printf("%.3f %.3f\n", cpu * times, wall * times);
                return 0;
            }
    fprintf(stderr, "usage: micro KIND COUNT\n");
    return 2;
}
