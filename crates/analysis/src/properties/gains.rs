//! How possible gains are computed that several properties have in common, in words.
//! `findings` computes them: `Search::on_the_delaying_thread`, `imbalance`, `mpi`,
//! `task_diagnoses`; `gain` bounds them all.

/// Losses of single threads: locks, ordered, fork and join, tasks.
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
pub(super) const LATE_PROCESS: &str = "with `--mpi-wait`: mean waiting of a process - smallest \
    waiting of a process, if the same process is late in each visit; mean waiting of a process if \
    the late process changes; largest waiting of a process if it waits for messages. Without \
    `--mpi-wait` the gain is not known.";

/// The diagnoses of tasks.
pub(super) const AROUND_TASKS: &str = "the loss around these tasks (waiting, starvation and \
    joining in their barriers, creation, taskwait) / number of threads of the region: without this \
    loss the same work would end earlier by this time.";
