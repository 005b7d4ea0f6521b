/* Computes in place of sleeping: `cargo xtask bench computing` puts this file in front of the
   programs. For each microsecond there are as many steps on any machine. */
#include <unistd.h>

static int compute(unsigned us)
{
    unsigned value = us | 1;
    for (unsigned long step = 0; step < 500ul * us; step++) {
        value ^= value << 13;
        value ^= value >> 17;
        value ^= value << 5;
        __asm__ volatile("" : "+r"(value));
    }
    return 0;
}

#define usleep(us) compute(us)
