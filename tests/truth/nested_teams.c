// Each thread of a team makes a team of its own for a short piece of work, and again and again.
// The repair does these pieces with the threads that are there.
// cause: nested_teams
// advice: merge -> -DMERGED
// body: sleeps
// threads: 2
// environment: OMP_MAX_ACTIVE_LEVELS=2
// vary: PIECES=900..1000
#include "truth.h"

int main(void)
{
    long done = 0;
    #pragma omp parallel reduction(+ : done)
    for (int piece = 0; piece < PIECES; piece++) {
#if defined REPAIRED || defined MERGED
        rest(50);
        done += 4;
#else
        #pragma omp parallel num_threads(4) reduction(+ : done) // <-- cause
        {
            rest(50);
            done++;
        }
#endif
    }
    printf("%ld\n", done);
}
