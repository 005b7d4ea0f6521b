/* kernels.h - what the six task kernels share: the clock, the work, the arguments, the result.
 *
 * Each kernel injects one task problem of a known size, so that the number which a performance
 * tool reports can be held against the number that was asked for. Therefore the work of a task is
 * defined by its duration: run_units() computes a small result and then spins until the duration
 * has passed on the wall clock. Wall clock and not CPU time, because the duration then also holds
 * when there are more threads than cores.
 *
 * The printed result is an integer sum over a fixed set of work units. Neither the number of
 * threads nor the way in which the units are cut into tasks can change it.
 */
#ifndef KERNELS_H
#define KERNELS_H

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* clock_gettime under -std=c99 */
#endif

#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { THREADS_MAX = 1024, CACHE_LINE_BYTES = 64 };

/* One partial sum per thread. The padding keeps two threads off the same cache line. */
typedef struct {
    uint64_t sum;
    char padding[CACHE_LINE_BYTES - sizeof(uint64_t)];
} Partial;

static Partial partials[THREADS_MAX];

static inline double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static inline void spin_until(double deadline_ms)
{
    while (now_ms() < deadline_ms) {
    }
}

/* The value of one work unit: the mixing steps of a 64-bit generator, about 2 ns. */
static inline uint64_t unit_value(uint64_t unit)
{
    uint64_t z = (unit + 1) * UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* Adds the units [first, end) to the sum of the executing thread. The kernels call this from tied
 * tasks and without a scheduling point inside, so a thread is never in here twice. */
static inline void add_units(long first, long end)
{
    uint64_t sum = 0;
    for (long unit = first; unit < end; unit++)
        sum += unit_value((uint64_t)unit);
    partials[omp_get_thread_num()].sum += sum;
}

/* The same, but lasting duration_ms. */
static inline void run_units(long first, long end, double duration_ms)
{
    const double deadline_ms = now_ms() + duration_ms;
    add_units(first, end);
    spin_until(deadline_ms);
}

/* First unit of part `part` when `units` are cut into `parts` of nearly equal size. */
static inline long part_begin(long units, long part, long parts)
{
    return (long)((double)units / (double)parts * (double)part + 0.5);
}

/* Argument number `index` as a number in [low, high], or `fallback` where it is missing. */
static inline double argument(int argc, char **argv, int index, double fallback, double low,
                              double high)
{
    if (index >= argc)
        return fallback;
    char *rest;
    const double value = strtod(argv[index], &rest);
    if (rest == argv[index] || *rest != '\0' || !(value >= low && value <= high)) {
        fprintf(stderr, "%s: argument %d is '%s', expected a number from %g to %g\n", argv[0],
                index, argv[index], low, high);
        exit(2);
    }
    return value;
}

/* A team larger than the table of partial sums would write past its end. */
static inline void limit_threads(void)
{
    if (omp_get_max_threads() > THREADS_MAX)
        omp_set_num_threads(THREADS_MAX);
}

/* Compares the partial sums with a serial recomputation; prints and returns the exit code. */
static inline int report(const char *kernel, long units)
{
    uint64_t sum = 0, expected = 0;
    for (int thread = 0; thread < THREADS_MAX; thread++)
        sum += partials[thread].sum;
    for (long unit = 0; unit < units; unit++)
        expected += unit_value((uint64_t)unit);
    const int valid = sum == expected;
    printf("%s: %ld units, checksum %016llx, %s\n", kernel, units, (unsigned long long)sum,
           valid ? "valid" : "INVALID");
    return valid ? 0 : 1;
}

#endif
