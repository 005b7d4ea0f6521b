#include <stdio.h>

/* The newer constructs where only the preprocessor finds them. */
#define PRAGMA(text) _Pragma(#text)
#define OMP(...) PRAGMA(omp __VA_ARGS__)
#define IN_ORDER(statement) OMP(ordered) { statement; }
#define ADD(to, what) OMP(atomic) to += what
#define GROUP _Pragma("omp taskgroup")

int main(void)
{
  int sum = 0, order = 0, once = 0, squares[8] = {0};
  OMP(parallel num_threads(2))
  {
    OMP(for ordered schedule(dynamic, 1))
    for (int i = 0; i < 4; i++)
      IN_ORDER(order = 10 * order + i)
    OMP(masked)
    {
      GROUP
      {
        OMP(taskloop num_tasks(3) nogroup shared(sum))
        for (int i = 0; i < 6; i++) {
          ADD(sum, i);
        }
        OMP(taskyield)
        OMP(flush(sum))
      }
      once++;
    }
    OMP(loop)
    for (int i = 0; i < 8; i++)
      squares[i] = i * i;
  }
  OMP(target data map(tofrom : squares))
  {
    OMP(target update to(squares))
    sum += squares[7];
  }
  OMP(teams num_teams(1)) { once++; }
  printf("%d %d %d\n", sum, order, once);
  return 0;
}
