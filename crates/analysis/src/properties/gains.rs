//! How possible gains are computed that several properties have in common, in words.
//! `findings` computes them: `Search::on_the_delaying_thread`, `imbalance`, `mpi`,
//! `task_diagnoses`; `gain` bounds them all.

/// Mutual exclusion, and the waiting that follows from it.
pub(super) const NEXT_BARRIER: &str = "smallest (loss + waiting at the next barrier) of any thread - \
    smallest waiting of any thread at this barrier: without the loss, each thread arrives at the \
    barrier earlier by its loss. If at least half of the waiting there follows from the loss, it \
    is a part of this finding, and the threads that arrive together now may wait at other locks \
    instead, which is taken off. If no such waiting was measured: mean of the losses of all \
    threads. Only waiting is a gain where threads mostly find the lock free.";

/// Fork and join.
pub(super) const FORKS: &str = "parallel regions that are forked at least 20 times from one call path \
    are one finding. Weighted mean of fork and join over the threads (a thread has a large weight \
    if the others wait for it), and mean cost of the regions' final barriers. If n regions become \
    one, (n - 1) / n of this. A region with fewer forks gains nothing, because its first fork \
    creates the threads.";

/// Losses of single threads: tasks.
pub(super) const DELAYING_THREAD: &str = "weighted mean of the losses of all threads. A thread has a \
    large weight if the others wait for it at barriers of the same parallel region, because the \
    run becomes shorter only if the last thread becomes faster. If no such waiting was measured, \
    all threads have the same weight.";

/// The cost of a barrier in addition to waiting.
pub(super) const BARRIER_ITSELF: &str =
    "(time in the barrier - waiting) / number of threads of the team.";

/// Waiting for threads that arrive later.
pub(super) const LATE_THREADS: &str = "if the same thread is late in each visit: mean waiting of \
    a thread - smallest waiting of a thread, because only the difference can be redistributed. If \
    the late thread changes: mean waiting of a thread, if each visit is balanced.";

/// Waiting in barriers for tasks.
pub(super) const STARVATION: &str = "waiting of all threads / number of threads of the team.";

/// Waiting for the last process.
pub(super) const LATE_PROCESS: &str = "if waiting was measured: mean waiting of a process - smallest \
    waiting of a process, if the same process is late in each visit; mean waiting of a process if \
    the late process changes. If processes wait for messages: smallest waiting of a process for \
    messages and in collective operations, but not more than the process that is late there has \
    waited for messages. Without `--mpi-wait` the gain of messages is not known.";

/// The diagnoses of tasks.
pub(super) const AROUND_TASKS: &str = "the loss around these tasks (waiting, starvation and \
    joining in their barriers, creation, taskwait) / number of threads of the region: without this \
    loss the same work would end earlier by this time.";
