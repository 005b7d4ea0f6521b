/* A library that is loaded, used and unloaded. */
int work(void)
{
  int visits = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp critical(plugin)
    visits++;
  }
  return visits;
}
