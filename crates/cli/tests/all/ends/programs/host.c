/* Loads the library three times, and has regions of its own before and after it. */
#include <dlfcn.h>
#include <stdio.h>

static void own_work(void)
{
#pragma omp parallel num_threads(2)
  {
#pragma omp critical(host)
    ;
  }
}

int main(void)
{
  int visits = 0;
  own_work();
  for (int i = 0; i < 3; i++) {
    void *library = dlopen("./plugin.so", RTLD_NOW);
    if (!library)
      return 1;
    int (*work)(void) = (int (*)(void))dlsym(library, "work");
    visits += work();
    dlclose(library);
  }
  own_work();
  printf("%d\n", visits);
  return 0;
}
