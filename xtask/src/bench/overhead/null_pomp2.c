/* A measurement library that measures nothing: what remains is OPARI2's instrumentation itself. */
#include <opari2/pomp2_lib.h>
#include <opari2/pomp2_user_lib.h>

#define HANDLE POMP2_Region_handle *handle
#define TASK POMP2_Task_handle

void POMP2_Init(void) {}
void POMP2_Finalize(void) {}
void POMP2_Begin(HANDLE, const char ctc[]) {}
void POMP2_End(HANDLE) {}
void POMP2_Assign_handle(HANDLE, const char ctc[]) {}
void POMP2_USER_Assign_handle(HANDLE, const char ctc[]) {}
void POMP2_Parallel_fork(HANDLE, int clause, int threads, TASK *old, const char ctc[]) {}
void POMP2_Parallel_join(HANDLE, TASK old) {}
void POMP2_Parallel_begin(HANDLE) {}
void POMP2_Parallel_end(HANDLE) {}
void POMP2_Barrier_enter(HANDLE, TASK *old, const char ctc[]) {}
void POMP2_Barrier_exit(HANDLE, TASK old) {}
void POMP2_Implicit_barrier_enter(HANDLE, TASK *old) {}
void POMP2_Implicit_barrier_exit(HANDLE, TASK old) {}
void POMP2_Critical_enter(HANDLE, const char ctc[]) {}
void POMP2_Critical_begin(HANDLE) {}
void POMP2_Critical_end(HANDLE) {}
void POMP2_Critical_exit(HANDLE) {}
void POMP2_Atomic_enter(HANDLE, const char ctc[]) {}
void POMP2_Atomic_exit(HANDLE) {}
void POMP2_Single_enter(HANDLE, const char ctc[]) {}
void POMP2_Single_begin(HANDLE) {}
void POMP2_Single_end(HANDLE) {}
void POMP2_Single_exit(HANDLE) {}
void POMP2_Master_begin(HANDLE, const char ctc[]) {}
void POMP2_Master_end(HANDLE) {}
void POMP2_For_enter(HANDLE, const char ctc[]) {}
void POMP2_For_exit(HANDLE) {}
void POMP2_Task_create_begin(HANDLE, TASK *task, TASK *old, int clause, const char ctc[]) {}
void POMP2_Task_create_end(HANDLE, TASK old) {}
void POMP2_Task_begin(HANDLE, TASK task) {}
void POMP2_Task_end(HANDLE) {}
void POMP2_Taskwait_begin(HANDLE, TASK *old, const char ctc[]) {}
void POMP2_Taskwait_end(HANDLE, TASK old) {}
POMP2_Task_handle POMP2_Get_new_task_handle(void) { return 1; }
