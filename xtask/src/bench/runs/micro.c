/* One kind of call very often: micro KIND COUNT. Prints processor time in nanoseconds per call, or
 * per pair of calls for a mutex that no other thread takes. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv)
{
    const char *kind = argc > 2 ? argv[1] : "";
    long count = argc > 2 ? atol(argv[2]) : 0, done = 0;
    char bytes[64] = "";
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    int from = open("/dev/zero", O_RDONLY), to = open("/dev/null", O_WRONLY);
    double begin = seconds();
    if (!strcmp(kind, "mutex"))
        for (long i = 0; i < count; i++) {
            done += pthread_mutex_lock(&mutex) == 0;
            pthread_mutex_unlock(&mutex);
        }
    if (!strcmp(kind, "read"))
        for (long i = 0; i < count; i++)
            done += read(from, bytes, sizeof bytes) == (ssize_t)sizeof bytes;
    if (!strcmp(kind, "write"))
        for (long i = 0; i < count; i++)
            done += write(to, bytes, sizeof bytes) == (ssize_t)sizeof bytes;
    printf("%.2f\n", (seconds() - begin) * 1e9 / (double)count);
    return done != count || count == 0;
}
