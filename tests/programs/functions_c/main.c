/* User functions in C: every shape of head, and every way out. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf back;

/* Two ways out, called by threads. */
static int classify(int x)
{
  int small;
  if (x > 3)
    return 1;
  small = x < 2;
  return small ? 2 : 3;
}

/* Parameters are declared behind the head. */
static int old_style(a, b)
int a;
int b;
{
  return a * 10 + b;
}

static long factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

static int twice(int x) { return 2 * x; }

/* Returns a pointer to a function. */
static int (*choose(int which))(int)
{
  return which ? twice : classify;
}

static void jump(int depth)
{
  if (depth == 0)
    longjmp(back, 7);
  jump(depth - 1);
}

static int jumped(void)
{
  int code = setjmp(back);
  if (code == 0)
    jump(2);
  return code;
}

/* A loop of its own in every caller's team. */
static void orphan(int *sum)
{
  int i, part = 0;
#pragma omp for
  for (i = 0; i < 12; i++)
    part += classify(i);
#pragma omp atomic
  *sum += part;
}

#define DEFINED_BY_MACRO(name) static int name(int x)
DEFINED_BY_MACRO(made) { return x; }

static __attribute__((noreturn)) void finish(int code)
{
  exit(code);
}

#ifdef NEVER
int main(int argc, char **argv) {
  (void)argc; (void)argv;
#else
int main(void) {
#endif
  int i, sum = 0;
  for (i = 0; i < 5; i++)
    sum += classify(i);
  printf("%d %d %ld\n", sum, old_style(1, 2), factorial(5));
  printf("%d %d %d\n", choose(1)(4), jumped(), made(3));
  sum = 0;
#pragma omp parallel
  orphan(&sum);
  printf("%d\n", sum);
  finish(3);
}
