/* What counts is said by the program: `retire` is the machine's (machine.c). */
void retire(long instructions);

int main(void)
{
  retire(20);
#pragma omp parallel num_threads(2)
  {
#pragma omp inst begin(work)
    retire(1000);
#pragma omp inst end(work)
#pragma omp critical
    retire(100);
#pragma omp single
    {
#pragma omp task
      retire(50000);
      retire(40);
#pragma omp taskwait
      retire(60);
    }
  }
  return 0;
}
