//! How possible gains are computed that several properties have in common, in words.
//! `findings` computes them: `Search::on_the_delaying_thread`, `barriers`, `mpi`, `task_diagnoses`.

/// Losses of single threads: locks, ordered, fork and join, tasks.
pub(super) const DELAYING_THREAD: &str = "the loss on the thread that delays the others: each \
    thread's loss, weighted by the share of barrier waiting that this thread causes in the same \
    parallel region; the average over its threads where no barrier waiting is known.";

/// What a barrier costs beyond waiting.
pub(super) const BARRIER_ITSELF: &str =
    "time in the barrier beyond waiting / number of threads that meet there.";

/// Waiting for threads that arrive later.
pub(super) const LATE_THREADS: &str = "waiting of all threads / number of threads that meet at \
    the barrier: if all arrived at the same moment, the latest would be earlier by the average \
    waiting.";

/// Waiting in barriers for tasks.
pub(super) const STARVATION: &str =
    "waiting of all threads / number of threads that meet at the barrier.";

/// Waiting for the last process.
pub(super) const LATE_PROCESS: &str = "the average over the processes of what is above the least \
    of them: the time that one process, the last to arrive, makes the others wait.";

/// The diagnoses of tasks.
pub(super) const AROUND_TASKS: &str = "all that the threads lose around these tasks (waiting, \
    starving and joining in their barriers, creating them, taskwait) / number of threads of the \
    region: if nothing of it remained, the same work would end that much earlier.";
