/* A measurement library that measures nothing: what remains is OPARI2's instrumentation itself. With
 * READ_CLOCK it takes the time of each event and sums it per thread, which no library can do without:
 * where threads wait for each other, time that one takes is time that others wait. */
#include <opari2/pomp2_lib.h>
#include <opari2/pomp2_user_lib.h>
#include <stdint.h>

#ifdef READ_CLOCK
static __thread uint64_t last, sum;
#define EVENT { uint64_t now = __builtin_ia32_rdtsc(); sum += now - last; last = now; }
#else
#define EVENT {}
#endif

#define HANDLE POMP2_Region_handle *handle
#define TASK POMP2_Task_handle

void POMP2_Init(void) EVENT
void POMP2_Finalize(void) EVENT
void POMP2_Begin(HANDLE, const char ctc[]) EVENT
void POMP2_End(HANDLE) EVENT
void POMP2_Assign_handle(HANDLE, const char ctc[]) EVENT
void POMP2_USER_Assign_handle(HANDLE, const char ctc[]) EVENT
void POMP2_Parallel_fork(HANDLE, int clause, int threads, TASK *old, const char ctc[]) EVENT
void POMP2_Parallel_join(HANDLE, TASK old) EVENT
void POMP2_Parallel_begin(HANDLE) EVENT
void POMP2_Parallel_end(HANDLE) EVENT
void POMP2_Barrier_enter(HANDLE, TASK *old, const char ctc[]) EVENT
void POMP2_Barrier_exit(HANDLE, TASK old) EVENT
void POMP2_Implicit_barrier_enter(HANDLE, TASK *old) EVENT
void POMP2_Implicit_barrier_exit(HANDLE, TASK old) EVENT
void POMP2_Critical_enter(HANDLE, const char ctc[]) EVENT
void POMP2_Critical_begin(HANDLE) EVENT
void POMP2_Critical_end(HANDLE) EVENT
void POMP2_Critical_exit(HANDLE) EVENT
void POMP2_Atomic_enter(HANDLE, const char ctc[]) EVENT
void POMP2_Atomic_exit(HANDLE) EVENT
void POMP2_Single_enter(HANDLE, const char ctc[]) EVENT
void POMP2_Single_begin(HANDLE) EVENT
void POMP2_Single_end(HANDLE) EVENT
void POMP2_Single_exit(HANDLE) EVENT
void POMP2_Master_begin(HANDLE, const char ctc[]) EVENT
void POMP2_Master_end(HANDLE) EVENT
void POMP2_For_enter(HANDLE, const char ctc[]) EVENT
void POMP2_For_exit(HANDLE) EVENT
void POMP2_Task_create_begin(HANDLE, TASK *task, TASK *old, int clause, const char ctc[]) EVENT
void POMP2_Task_create_end(HANDLE, TASK old) EVENT
void POMP2_Task_begin(HANDLE, TASK task) EVENT
void POMP2_Task_end(HANDLE) EVENT
void POMP2_Taskwait_begin(HANDLE, TASK *old, const char ctc[]) EVENT
void POMP2_Taskwait_end(HANDLE, TASK old) EVENT
POMP2_Task_handle POMP2_Get_new_task_handle(void) { return 1; }
