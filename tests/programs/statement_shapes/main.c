#include <stdio.h>

static int pick(int kind, int n)
{
  int x = 0;
  if (kind == 0)
#pragma omp parallel num_threads(2)
#pragma omp single
    x = n;
  else if (kind == 1)
#pragma omp parallel for num_threads(2) reduction(+ : x)
    for (int i = 0; i < n; i++)
      if (i & 1)
        x += i;
      else
        x -= 1;
  else
#pragma omp parallel num_threads(2)
#pragma omp master
    do
      x += 2;
    while (x < n);
  switch (kind) {
  case 0:
#pragma omp critical
    x++;
    break;
  case 1: {
#pragma omp atomic
    x += 10;
  } break;
  default:
    while (x > 100)
#pragma omp atomic
      x--;
  }
  for (int i = 0; i < 3; i++)
#pragma omp critical(named)
    {
      if (i == 1)
        x += i;
    }
  goto end;
  x = -1000;
end:;
#pragma omp parallel \
    num_threads(3) /* { */ reduction(+ \
                                     : x)
  {
#pragma omp barrier
  }
%:pragma omp parallel num_threads(2)
  <%
#pragma omp master
    {{{ x += '}' == '{' ? 1 : "}"[0] == '}'; }}}
  %>
  return x;
}

#define EACH(i, n) for (int i = 0; i < (n); i++)

int main(void)
{
  int sum = 0;
  for (int kind = 0; kind < 3; kind++)
    printf("%d\n", pick(kind, 8));
#pragma omp parallel for reduction(+ : sum)
  EACH(i, 6)
    EACH(k, 2)
      sum += i * k;
#pragma omp parallel num_threads(2)
  {
#pragma omp for reduction(+ : sum)
    EACH(i, 4) { sum += i; }
  }
  printf("%d\n", sum);
  return 0;
}
