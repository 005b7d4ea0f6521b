// A hash table with a lock for each of many buckets: threads rarely need the same one.
// cause: none
// advice: none
// body: sleeps
// threads: 3 4
// instrument: --functions
// vary: UNIT_US=900..1100
#include "truth.h"
struct Bucket { omp_lock_t lock; long length; };
static Bucket table[64];
static void insert(int key)
{
    Bucket &b = table[key % 64];
    omp_set_lock(&b.lock);
    b.length++;
    omp_unset_lock(&b.lock);
}
static void compute() { rest(UNIT_US); }
int main()
{
    for (Bucket &b : table) omp_init_lock(&b.lock);
    #pragma omp parallel for
    for (int key = 0; key < 300 * THREADS; key++) {
        compute();
        insert(key * 7);
    }
    printf("%ld\n", table[3].length);
}
