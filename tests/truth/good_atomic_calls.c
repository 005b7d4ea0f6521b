// The nodes of search trees are counted by a recursion whose result is added to a variable of the
// caller alone. The update is atomic without need, and takes no time next to the call before it.
// cause: none
// advice: none
// body: computes
// threads: 2
// vary: ROOTS=90000..110000
#include "truth.h"

static long nodes(long node, int depth)
{
    long found = 1;
    for (int child = 0; depth > 0 && child < 5; child++) {
        long next = node * 5 + child;
        for (int k = 0; k < 20; k++)
            next = next * 7 + k;
        #pragma omp atomic
        found += nodes(next, depth - 1);
    }
    return found + (node & 1);
}

int main(void)
{
    long sum = 0;
    #pragma omp parallel for reduction(+ : sum)
    for (long root = 0; root < ROOTS; root++)
        sum += nodes(root, 4);
    printf("%ld\n", sum);
}
