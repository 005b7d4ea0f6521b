// Each thread has a lock of its own, and takes it often: no thread waits.
// cause: none
// advice: none
// body: computes
// threads: 2
// vary: ROUNDS=5100000..6200000 LENGTH=150..190
#include "truth.h"

struct alignas(128) Account {
    omp_lock_t lock;
    long sum;
};
static Account accounts[2];

static long chain(long value)
{
    for (int k = 0; k < LENGTH; k++)
        value = value * 5 + k;
    return value;
}

int main()
{
    for (Account &account : accounts)
        omp_init_lock(&account.lock);
    #pragma omp parallel
    {
        Account &own = accounts[omp_get_thread_num()];
        for (long round = 0; round < ROUNDS; round++) {
            long value = chain(round);
            omp_set_lock(&own.lock);
            own.sum += value;
            omp_unset_lock(&own.lock);
        }
    }
    printf("%ld\n", accounts[0].sum + accounts[1].sum);
}
