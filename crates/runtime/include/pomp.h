/*
 * POMP: the interface between instrumented OpenMP programs and the measurement library libpomp.
 *
 * Calls are written into the source by `pompeii instrument`; they can also be written by hand, or
 * by any other tool that follows the POMP paper (its API has no team and task arguments, see
 * `data` below). Every function is safe at any time and on any thread: missing, doubled and
 * misplaced calls are passed over, and nothing here ever ends or blocks the program.
 *
 * Usable from C (C99 and later) and C++; `long` must have 64 bits (LP64).
 */
#ifndef POMP_H
#define POMP_H

#ifdef __cplusplus
extern "C" {
#endif

/* A construct in the source. It must live as long as the process: make it static. */
typedef struct ompregdescr {
  const char *name;      /* the directive's words: "parallel", "parallel for", "for", "do", "sections",
                            "section", "workshare", "single", "masked", "critical", "taskloop",
                            ...; "region" for a user region or a function */
  const char *sub_name;  /* name of a critical section, a user region or a function; else "" */
  int num_sections;      /* of a sections construct */
  const char *file_name; /* as the compiler was given it */
  int begin_line1;       /* first and last line of the opening directive, from 1 */
  int begin_lineN;
  int end_line1;         /* first and last line of the end */
  int end_lineN;
  void *data;            /* belongs to the library; 0 before the first call */
  struct ompregdescr *next; /* belongs to the library. Before the first call: 0, or (as a pointer to
                            this type) an extension */
} OMPRegDescr;

/* What the instrumenter says beyond the paper. A descriptor whose `next` leads here makes all calls
   with the team and task arguments below; one without makes them with the descriptor alone. It
   begins like a descriptor, so a library can tell it from one that was chained by its mark. */
typedef struct pompextension {
  const char *mark;    /* POMP_EXTENSION */
  const char *clauses; /* how the construct runs, words with a blank between: clauses as written
                          ("schedule(static,4) collapse(2) reduction(+:s) nowait num_threads(2)"),
                          "timed" (an atomic or flush that takes time stamps), "function" (a user
                          region that is one), "barrier_included" (the construct's own time has the
                          waiting at its built-in barrier in it) */
} POMPExtension;

#define POMP_EXTENSION "pompeii 1"

/* ---- The measurement as a whole. None of these calls is necessary. */

void POMP_Init(void);     /* makes the experiment now instead of at the first construct */
void POMP_Finalize(void); /* ends the measurement now instead of at the end of the process */
void POMP_Off(void);      /* stops recording on this thread; regions it forks meanwhile go unobserved */
void POMP_On(void);       /* goes on. Off ends by itself with the task, or with the thread's part of
                             the parallel region, in which it was called */

/* ---- User regions and functions. `variable` is NULL, or the address of what the program names in
   `omp inst begin(name, variable)`: for libraries that look at it; this one does not. */

void POMP_Begin(OMPRegDescr *d, void *variable);
void POMP_End(OMPRegDescr *d, void *variable);

/* ---- Parameters: from here to the end of the region that is open, or until the parameter gets
   another value, the thread's call path has a part `name=value`. The strings are copied. From
   Fortran: `call pomp_parameter_int('n', value)` with integer(8), and
   `call pomp_parameter_string('n', value)`. */

void POMP_Parameter_int(const char *name, long value);
void POMP_Parameter_uint(const char *name, unsigned long value);
void POMP_Parameter_string(const char *name, const char *value);

/* ---- Parallel regions: `fork` before and `join` behind the construct, on the thread that meets
   it; `begin` and `end` first and last in the body, on every thread. `fork` stores the team's id,
   which the body gets by firstprivate. */

void POMP_Parallel_fork(OMPRegDescr *d, long *team);
void POMP_Parallel_begin(OMPRegDescr *d, long team);
void POMP_Parallel_end(OMPRegDescr *d, long team);
void POMP_Parallel_join(OMPRegDescr *d, long team);

/* ---- Worksharing: around the construct, its implicit barrier included. */

void POMP_For_enter(OMPRegDescr *d);
void POMP_For_exit(OMPRegDescr *d);
void POMP_Do_enter(OMPRegDescr *d);
void POMP_Do_exit(OMPRegDescr *d);
void POMP_Sections_enter(OMPRegDescr *d);
void POMP_Sections_exit(OMPRegDescr *d);
void POMP_Section_begin(OMPRegDescr *d); /* a section's body */
void POMP_Section_end(OMPRegDescr *d);
void POMP_Workshare_enter(OMPRegDescr *d);
void POMP_Workshare_exit(OMPRegDescr *d);
void POMP_Single_enter(OMPRegDescr *d);
void POMP_Single_begin(OMPRegDescr *d); /* the body, on the thread that executes it */
void POMP_Single_end(OMPRegDescr *d);
void POMP_Single_exit(OMPRegDescr *d);
void POMP_Scope_enter(OMPRegDescr *d);
void POMP_Scope_begin(OMPRegDescr *d); /* the body, on every thread */
void POMP_Scope_end(OMPRegDescr *d);
void POMP_Scope_exit(OMPRegDescr *d);
void POMP_Master_begin(OMPRegDescr *d);
void POMP_Master_end(OMPRegDescr *d);
void POMP_Masked_begin(OMPRegDescr *d);
void POMP_Masked_end(OMPRegDescr *d);

/* ---- An iteration of a worksharing loop, on request: `d` is the loop's. The next iteration has
   the number i + step; 0 and 0 where that is not known. Iterations that one thread executes one
   after the other are shown as a chunk. */

void POMP_Iteration_begin(OMPRegDescr *d, long i, long step);
void POMP_Iteration_end(OMPRegDescr *d);

/* ---- Constructs inside which there is nothing to call, or nothing to be seen from the host:
   around the construct. */

void POMP_Loop_enter(OMPRegDescr *d);
void POMP_Loop_exit(OMPRegDescr *d);
void POMP_Teams_enter(OMPRegDescr *d);
void POMP_Teams_exit(OMPRegDescr *d);
void POMP_Distribute_enter(OMPRegDescr *d);
void POMP_Distribute_exit(OMPRegDescr *d);
void POMP_Target_enter(OMPRegDescr *d);
void POMP_Target_exit(OMPRegDescr *d);

/* ---- Synchronisation. */

void POMP_Barrier_enter(OMPRegDescr *d); /* `name` is "barrier" for an explicit barrier; else it is */
void POMP_Barrier_exit(OMPRegDescr *d);  /* the implicit one of that construct, made explicit */
void POMP_Critical_enter(OMPRegDescr *d);
void POMP_Critical_begin(OMPRegDescr *d); /* the body */
void POMP_Critical_end(OMPRegDescr *d);
void POMP_Critical_exit(OMPRegDescr *d);
void POMP_Ordered_enter(OMPRegDescr *d); /* waits for its turn until `begin`; with `doacross` or */
void POMP_Ordered_begin(OMPRegDescr *d); /* `depend` there is no body, and it waits until `exit` */
void POMP_Ordered_end(OMPRegDescr *d);
void POMP_Ordered_exit(OMPRegDescr *d);
void POMP_Atomic_enter(OMPRegDescr *d); /* counted; timed where the extension says so */
void POMP_Atomic_exit(OMPRegDescr *d);
void POMP_Flush_enter(OMPRegDescr *d);  /* the same */
void POMP_Flush_exit(OMPRegDescr *d);
void POMP_Cancel(OMPRegDescr *d);       /* counted; before the directive, as is */
void POMP_Cancellation_point(OMPRegDescr *d);

/* ---- Tasks: `create_begin` and `create_end` around the construct, on the thread that meets it;
   `begin` and `end` first and last in the body, which gets the id by firstprivate. An untied task
   calls `resume` behind each scheduling point in its text: it may go on at another thread. A task
   with a `detach` clause calls `detach` in place of `end`, with the handle of its event: it is
   complete when that is fulfilled, too (libpomp stands in for omp_fulfill_event). */

void POMP_Task_create_begin(OMPRegDescr *d, long *task);
void POMP_Task_begin(OMPRegDescr *d, long task);
void POMP_Task_end(OMPRegDescr *d, long task);
void POMP_Task_detach(OMPRegDescr *d, long task, unsigned long event);
void POMP_Task_create_end(OMPRegDescr *d, long task);
void POMP_Task_resume(OMPRegDescr *d, long task);
void POMP_Taskwait_enter(OMPRegDescr *d);
void POMP_Taskwait_exit(OMPRegDescr *d);
void POMP_Taskyield_enter(OMPRegDescr *d);
void POMP_Taskyield_exit(OMPRegDescr *d);
void POMP_Taskgroup_enter(OMPRegDescr *d);
void POMP_Taskgroup_begin(OMPRegDescr *d);
void POMP_Taskgroup_end(OMPRegDescr *d);  /* the body is over, waiting for the tasks begins */
void POMP_Taskgroup_exit(OMPRegDescr *d);

/* ---- Taskloops: `enter` and `exit` around the construct, on the thread that meets it; `begin` and
   `end` in each iteration, on the thread that executes it. `id` reaches the iterations by
   firstprivate, and so does `task`, which is 0 at the first iteration of each generated task. */

void POMP_Taskloop_enter(OMPRegDescr *d, long *id);
void POMP_Taskloop_begin(OMPRegDescr *d, long id, long *task);
void POMP_Taskloop_end(OMPRegDescr *d, long task);
void POMP_Taskloop_exit(OMPRegDescr *d, long id);

/* ---- Locks under the names that the POMP paper gives them. libpomp also stands in for the OpenMP
   routines themselves, so a program's own calls are measured as they are. `lock` is a pointer to
   omp_lock_t or omp_nest_lock_t. */

int POMP_Init_lock(void *lock);
int POMP_Init_nest_lock(void *lock);
int POMP_Init_lock_with_hint(void *lock, unsigned long hint);
int POMP_Init_nest_lock_with_hint(void *lock, unsigned long hint);
int POMP_Destroy_lock(void *lock);
int POMP_Destroy_nest_lock(void *lock);
int POMP_Set_lock(void *lock);
int POMP_Set_nest_lock(void *lock);
int POMP_Unset_lock(void *lock);
int POMP_Unset_nest_lock(void *lock);
int POMP_Test_lock(void *lock);
int POMP_Test_nest_lock(void *lock);

#ifdef __cplusplus
}
#endif

#endif /* POMP_H */
