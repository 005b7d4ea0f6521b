// What the programs of the court share. Values that the seed chooses come as macros: README.md.
#ifndef TRUTH_H
#define TRUTH_H
#include <omp.h>
#include <stdio.h>
#include <time.h>

// Sleeps for `us` microseconds, without a CPU.
static inline void rest(long us)
{
    struct timespec time = {us / 1000000, us % 1000000 * 1000};
    nanosleep(&time, NULL);
}

// Computes for about `units` microseconds.
static inline void work(long units)
{
    for (long i = 0; i < 3000 * units; i++)
        __asm__ volatile("" : "+r"(i));
}

// A number below `limit` that looks random, and is the same for the same arguments.
static inline long drawn(long a, long b, long limit)
{
    unsigned long x = (unsigned long)a * 0x9e3779b97f4a7c15UL + (unsigned long)b;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9UL;
    x = (x ^ x >> 27) * 0x94d049bb133111ebUL;
    return (long)((x ^ x >> 31) % (unsigned long)limit);
}

#endif
