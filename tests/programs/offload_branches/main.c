/* Sources for the host and for a device: a macro that nobody defines here puts code on the device,
   so that on the host everything in it is measured. */
#include <stdio.h>

#ifdef DEVICE
#pragma omp declare target
#endif
static int twice(int x) {
  int y = x;
  #pragma omp parallel for reduction(+ : y)
  for (int i = 0; i < x; i++)
    y++;
  return y;
}
#ifdef DEVICE
#pragma omp end declare target
#endif

static int work(int n) {
  int sum = 0;
#ifdef DEVICE
  #pragma omp target map(tofrom : sum)
#endif
  #pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; i++)
    sum += i;
  return sum;
}

int main(void) {
  int result = 0;
#ifdef DEVICE
  #pragma omp target map(tofrom : result)
#endif
  {
    result = twice(4);
    #pragma omp parallel
    #pragma omp critical
    result++;
  }
#ifdef VECTOR
  #pragma omp simd
#endif
  for (int i = 0; i < 3; i++) {
    #pragma omp atomic
    result += work(5);
  }
  printf("%d\n", result > 30);
  return 0;
}
