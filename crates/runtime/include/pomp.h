/*
 * POMP: the interface between instrumented OpenMP programs and the measurement library libpomp.
 *
 * `pompeii instrument` inserts the calls into the source. You can also write them by hand, or use
 * another tool that follows the POMP paper. (The functions of the paper have the
 * descriptor as their only argument, see POMPExtension below.) Every function may be called at any time and on any thread.
 * Missing, repeated and misplaced calls are ignored. No function ends or blocks the program.
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
  const char *name;      /* the words of the directive: "parallel", "parallel for", "for", "do",
                            "sections", "section", "workshare", "single", "masked", "critical",
                            "taskloop", ...; "region" for a user region or a function */
  const char *sub_name;  /* name of a critical section, a user region or a function; else "" */
  int num_sections;      /* of a sections construct */
  const char *file_name; /* as in the compiler's command line */
  int begin_line1;       /* first and last line of the opening directive, from 1 */
  int begin_lineN;
  int end_line1;         /* first and last line of the end */
  int end_lineN;
  void *data;            /* belongs to the library; 0 before the first call */
  struct ompregdescr *next; /* belongs to the library. Before the first call: 0, or (as a pointer to
                            this type) an extension */
} OMPRegDescr;

/* Data of the instrumenter in addition to the paper. If `next` of a descriptor points to an
   extension, all calls with this descriptor have the arguments below: numbers of teams, tasks and
   iterations. Otherwise they have the descriptor as their only argument. The first field of an extension is at the place of
   `name`, so a library can use `mark` to distinguish an extension from a descriptor in a list. */
typedef struct pompextension {
  const char *mark;    /* POMP_EXTENSION */
  const char *clauses; /* words separated by blanks. The first one may name the function around the
                          construct: "in(ns::Mesh::relax)". The others say how the construct runs:
                          clauses as in the source ("schedule(static,4) collapse(2) reduction(+:s) nowait
                          num_threads(2)"), "timed" (an atomic or flush with time stamps),
                          "function" (the user region is a function), "barrier_included" (the time
                          of the construct includes the waiting at its built-in barrier) */
} POMPExtension;

#define POMP_EXTENSION "pompeii 1"

/* ---- The measurement as a whole. None of these calls is necessary. */

void POMP_Init(void);     /* makes the experiment now instead of at the first construct */
void POMP_Finalize(void); /* ends the measurement now instead of at the end of the process */
void POMP_Off(void);      /* stops recording on this thread, and in parallel regions forked by it */
void POMP_On(void);       /* resumes recording. Recording also resumes at the end of the task, or of
                             the thread's part of the parallel region, in which it was stopped */

/* ---- User regions and functions. `variable` is NULL, or the address of the variable in
   `omp inst begin(name, variable)`. libpomp ignores it; another library may use it. */

void POMP_Begin(OMPRegDescr *d, void *variable);
void POMP_End(OMPRegDescr *d, void *variable);

/* ---- Parameters. After the call, the thread's call path has the element `name=value`, until the
   surrounding region ends or the parameter gets another value. The strings are copied. In Fortran:
   `call pomp_parameter_int('n', value)` with integer(8), and
   `call pomp_parameter_string('n', value)`. */

void POMP_Parameter_int(const char *name, long value);
void POMP_Parameter_uint(const char *name, unsigned long value);
void POMP_Parameter_string(const char *name, const char *value);

/* ---- Parallel regions. The thread that encounters the construct calls `fork` before it and
   `join` after it. Every thread calls `begin` and `end` at the beginning and end of the body.
   `fork` stores the id of the team, and the body receives it by firstprivate. */

void POMP_Parallel_fork(OMPRegDescr *d, long *team);
void POMP_Parallel_begin(OMPRegDescr *d, long team);
void POMP_Parallel_end(OMPRegDescr *d, long team);
void POMP_Parallel_join(OMPRegDescr *d, long team);

/* ---- Worksharing: the calls are around the construct and its implicit barrier. `iterations` is the
   number of iterations of the whole loop, not only of the thread's part, and -1 if it is unknown.
   The loops of a `collapse` clause count together. */

void POMP_For_enter(OMPRegDescr *d, long iterations);
void POMP_For_exit(OMPRegDescr *d);
void POMP_Do_enter(OMPRegDescr *d, long iterations);
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

/* ---- An iteration of a worksharing loop (`--loop-chunks`). `d` is the descriptor of the loop. The
   next iteration has the number i + step; both are 0 if this is unknown. Consecutive iterations of
   one thread are shown as a chunk. */

void POMP_Iteration_begin(OMPRegDescr *d, long i, long step);
void POMP_Iteration_end(OMPRegDescr *d);

/* ---- Constructs whose body must not contain calls, or does not run on the host: the calls are
   around the construct. */

void POMP_Loop_enter(OMPRegDescr *d);
void POMP_Loop_exit(OMPRegDescr *d);
void POMP_Teams_enter(OMPRegDescr *d);
void POMP_Teams_exit(OMPRegDescr *d);
void POMP_Distribute_enter(OMPRegDescr *d);
void POMP_Distribute_exit(OMPRegDescr *d);
void POMP_Target_enter(OMPRegDescr *d);
void POMP_Target_exit(OMPRegDescr *d);
/* In place of `enter`, for a target construct with `depend` clauses; see POMP_Task_depend. */
void POMP_Target_depend_enter(OMPRegDescr *d, const char *kinds, const volatile void *const *at);

/* ---- Synchronisation. */

void POMP_Barrier_enter(OMPRegDescr *d); /* `name` is "barrier" for an explicit barrier; else */
void POMP_Barrier_exit(OMPRegDescr *d);  /* it is the construct with this implicit barrier */
void POMP_Critical_enter(OMPRegDescr *d);
void POMP_Critical_begin(OMPRegDescr *d); /* the body */
void POMP_Critical_end(OMPRegDescr *d);
void POMP_Critical_exit(OMPRegDescr *d);
void POMP_Ordered_enter(OMPRegDescr *d); /* the thread waits for its turn until `begin`; with */
void POMP_Ordered_begin(OMPRegDescr *d); /* `doacross` and `depend` (no body), until `exit` */
void POMP_Ordered_end(OMPRegDescr *d);
void POMP_Ordered_exit(OMPRegDescr *d);
void POMP_Atomic_enter(OMPRegDescr *d); /* counted; timed if the extension has "timed" */
void POMP_Atomic_exit(OMPRegDescr *d);
void POMP_Flush_enter(OMPRegDescr *d);  /* the same */
void POMP_Flush_exit(OMPRegDescr *d);
void POMP_Cancel(OMPRegDescr *d);       /* counted; called before the directive */
void POMP_Cancellation_point(OMPRegDescr *d);

/* ---- Tasks. The thread that encounters the construct calls `create_begin` before it and
   `create_end` after it. The thread that executes the task calls `begin` and `end` at the beginning
   and end of the body; the body receives the task id by firstprivate. An untied task calls `resume`
   after each scheduling point in its text, because it may continue on another thread. A task with
   a `detach` clause calls `detach` instead of `end`, with the handle of its event. It is complete
   when its body has ended and the event is fulfilled (libpomp replaces omp_fulfill_event). */

void POMP_Task_create_begin(OMPRegDescr *d, long *task);
/* The items of the task's `depend` clauses, after `create_begin`: a letter for each (i: in, o: out
   and inout, m: mutexinoutset, s: inoutset, ?: not known, which has no address), and the addresses. */
void POMP_Task_depend(OMPRegDescr *d, long task, const char *kinds, const volatile void *const *at);
void POMP_Task_begin(OMPRegDescr *d, long task);
void POMP_Task_end(OMPRegDescr *d, long task);
void POMP_Task_detach(OMPRegDescr *d, long task, unsigned long event);
void POMP_Task_create_end(OMPRegDescr *d, long task);
/* An untied task goes on after a scheduling point, before the end of the construct that was it. */
void POMP_Task_resume(OMPRegDescr *d, long task);
void POMP_Taskwait_enter(OMPRegDescr *d);
void POMP_Taskwait_exit(OMPRegDescr *d);
/* In place of both, for a taskwait with `depend` clauses; the items are as above. */
void POMP_Taskwait_depend_enter(OMPRegDescr *d, const char *kinds, const volatile void *const *at);
void POMP_Taskwait_depend_exit(OMPRegDescr *d);
void POMP_Taskyield_enter(OMPRegDescr *d);
void POMP_Taskyield_exit(OMPRegDescr *d);
void POMP_Taskgroup_enter(OMPRegDescr *d);
void POMP_Taskgroup_begin(OMPRegDescr *d);
void POMP_Taskgroup_end(OMPRegDescr *d);  /* after the body, before waiting for the tasks */
void POMP_Taskgroup_exit(OMPRegDescr *d);

/* ---- Taskloops. The thread that encounters the construct calls `enter` before it and `exit` after
   it. The thread that executes an iteration calls `begin` and `end` in it. The iterations receive
   `id` and `task` by firstprivate; `task` is 0 at the first iteration of each generated task. */

void POMP_Taskloop_enter(OMPRegDescr *d, long *id);
void POMP_Taskloop_begin(OMPRegDescr *d, long id, long *task);
void POMP_Taskloop_end(OMPRegDescr *d, long task);
void POMP_Taskloop_exit(OMPRegDescr *d, long id);

/* ---- Lock routines with the names of the POMP paper. libpomp also replaces the OpenMP routines at
   link time, so a program's calls of these are measured too. `lock` is a pointer to omp_lock_t or
   omp_nest_lock_t. */

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
