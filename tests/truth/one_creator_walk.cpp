// One thread walks a list, reads each node before it creates the task for it, and the others wait
// for tasks. The repair reads inside the task.
// cause: one_creator
// advice: none
// body: sleeps
// threads: 4 8
// vary: READ_US=1500..2000
#include "truth.h"
#define NODES (350000 / READ_US)

struct node {
    long value;
    node *next;
};

static void read(node *of)
{
    rest(READ_US);
    of->value++;
}

int main()
{
    static node list[NODES];
    for (int i = 0; i + 1 < NODES; i++)
        list[i].next = &list[i + 1];
    #pragma omp parallel
    #pragma omp single
    for (node *of = list; of != NULL; of = of->next) {
#ifndef REPAIRED
        read(of);
#endif
        #pragma omp task firstprivate(of) // <-- cause
        {
#ifdef REPAIRED
            read(of);
#endif
            rest(500);
        }
    }
    printf("%ld\n", list[NODES - 1].value);
}
