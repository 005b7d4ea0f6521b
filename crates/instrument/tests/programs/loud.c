// Constructs about whose expansion clang warns in the plain program, too.
#include <stdio.h>

#define N 512
#define LIMIT 100

static int simd(int n, int *a) {
#pragma omp parallel for simd if (n > LIMIT) default(none) shared(n, a) schedule(static)
  for (int i = 0; i < N; i++) a[i] = i;
  return a[n - 1];
}

int main(void) {
  int a[N];
  printf("%d\n", simd(N, a));
  return 0;
}
