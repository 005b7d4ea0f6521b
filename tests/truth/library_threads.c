// Both threads call a library that starts a team of its own for each call: too many threads meet at
// the library's barriers. The repair lets it use one.
// cause: library_threads
// advice: none
// body: computes
// threads: 2
// plain: library.c
// faulty: LIBRARY_THREADS=4
// repaired: LIBRARY_THREADS=1
// vary: CALLS=36..40
#include "truth.h"

void library_solve(long units);

int main(void)
{
    #pragma omp parallel for // <-- cause
    for (int i = 0; i < 2 * CALLS; i++)
        library_solve(4000);
    printf("%d calls\n", CALLS);
}
