#include "../beside.h"
#define SCALE(x) ((x) * THREADS)
