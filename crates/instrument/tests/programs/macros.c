/* POMP routines that are macros with arguments (POMP paper, section 3.9): the declarations in front
   of the text must not be taken for their use. The test defines them on the command line. */
#include <stdio.h>

int main(void) {
  int i, s = 0;
#pragma omp parallel for reduction(+ : s)
  for (i = 0; i < 9; i++) s += i;
  printf("%d\n", s);
  return 0;
}
