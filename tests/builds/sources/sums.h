/* Sums of 0 to n - 1, each from another file. */
#ifdef __cplusplus
extern "C" {
#endif
int static_sum(int n);
int shared_sum(int n);
int generated_sum(int n);
int fortran_sum(int n);
#ifdef __cplusplus
}
#endif
