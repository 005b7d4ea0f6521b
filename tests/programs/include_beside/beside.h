#ifndef BESIDE_H
#define BESIDE_H
#define THREADS 2
static const char *const where = __FILE__;
#endif
