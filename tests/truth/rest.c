// Part of the programs in Fortran: waiting and computing, as `truth.h` has it for C.
#include "truth.h"

void rest_(const int *us)
{
    rest(*us);
}

void work_(const int *units)
{
    work(*units);
}
