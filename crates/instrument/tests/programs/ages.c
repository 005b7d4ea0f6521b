/* What C has always had: digraphs, splices and comments inside directives, the operator in all its
   forms, conditional compilation around everything. */
#include <stdio.h>

static int a[20];

static int add(int x, int y)
<%
  int s = 0, i;
%:pragma omp parallel for reduction(+ : s) private(i)
  for (i = 0; i < 10; i++) <% s += a<:i:> + x * y; %>
  return s;
%>

static int spliced(int n) {
  int s = 0, i;
#pragma omp /* a comment
  of two lines */ parallel \
      for /* { */ reduction(+ /* ) */ : s) \
      schedule(static, \
               2)
  for (i = 0; i < n; i++)
    s += i;
#pragma omp parallel for reduc\
tion(+ : s)
  for (i = 0; i < n; i++) s += i;
  # pragma omp paral\
lel
  {
#pragma omp atomic
    s += 0;
  }
  _Pragma("omp parallel") { _Pragma("omp single") s += 1; }
  _Pragma ( "omp parallel for reduction(+ : s)" ) for (i = 0; i < n; i++) s += 1;
  if (n) _Pragma("omp parallel")
  _Pragma("omp master") s++; else s--;
  return s;
}

#define N 10

static int conditional(int n) {
  int s = 0, i;
#if N > 5
#pragma omp parallel for reduction(+ : s)
  for (i = 0; i < n; i++) {
#else
#pragma omp parallel
  {
    i = 0;
#endif
    s += i;
  }
#ifdef UNDEFINED
#pragma omp parallel
  {
#elif defined(_OPENMP)
#pragma omp parallel
  {
#else
  {
#endif
#pragma omp single
    s++;
  }
#pragma omp parallel private(i)
#ifndef UNDEFINED
  for (i = 0; i < n; i++) {
#else
  {
#endif
#pragma omp atomic
    s += 0;
  }
#pragma omp parallel for reduction(+ : s)
#ifdef UNDEFINED
  for (i = 0; i < 2 * n; i++)
#else
  for (i = 0; i < n; i++)
#endif
    s += i;
  return s;
}

static int statements(int n) {
  int s = 0, i = 0;
  do
#pragma omp parallel
#pragma omp single
    s++;
  while (++i < n);
  switch (n) {
    case 1:
#pragma omp parallel
    {
#pragma omp master
      s++;
    } break;
    default:
#pragma omp parallel
#pragma omp critical(a)
      s += 0;
  }
  if (n)
#pragma omp parallel
#pragma omp single
    if (s) s++; else s--;
  else
#pragma omp parallel
#pragma omp single
    s--;
#pragma omp parallel
#pragma omp single
  label: if (s < 0) goto label;
  return s;
}

int main(void) {
  printf("%d %d %d %d\n", add(2, 3), spliced(10), conditional(10), statements(3));
  return 0;
}
