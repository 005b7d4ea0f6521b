#include <stdio.h>

/* Every name must be listed: whatever a tool adds to a construct may not be a variable. */
int main(void)
{
  int rows = 6, columns = 4, chunk = 1, total = 0, last = -1, base = 10;
  int cell[6][4];

#pragma omp parallel for default(none) shared(rows, columns, cell, chunk) firstprivate(base) \
    lastprivate(last) reduction(+ : total) collapse(2) schedule(static, chunk)
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < columns; c++) {
      cell[r][c] = base + r * columns + c;
      total += cell[r][c];
      last = cell[r][c];
    }

#pragma omp parallel default(none) shared(cell, rows, columns, total)
  {
#pragma omp single
    {
      for (int r = 0; r < rows; r++) {
#pragma omp task default(none) firstprivate(r) shared(cell, columns, total)
        {
          int sum = 0;
          for (int c = 0; c < columns; c++)
            sum += cell[r][c];
#pragma omp critical(total)
          total += sum;
        }
      }
#pragma omp taskwait
    }
#pragma omp parallel sections default(none) shared(total) num_threads(1)
    {
#pragma omp section
#pragma omp atomic
      total += 0;
    }
  }
  printf("%d %d\n", total, last);
  return 0;
}
