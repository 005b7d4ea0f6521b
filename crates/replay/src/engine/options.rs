//! How a trace is analysed.

use crate::table::Wanted;
use crate::within::Within;

/// How a trace is analysed. What is found does not depend on threads and windows.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Threads.
    pub threads: usize,
    /// Events of all locations in a window. With several threads windows are shorter, because some
    /// of them are on their way at the same time.
    pub window_events: usize,
    /// Find the critical path and the causes of waiting.
    pub path: bool,
    /// Count what lies in this part of the time; only without `path`.
    pub within: Option<Within>,
    /// Find the steps of tasks ([`crate::Compound::Step`]), too.
    pub task_steps: bool,
    /// Each task instance has an entry of its own in the call tree, up to this number of instances
    /// of a construct (`engine/instances.rs`).
    pub task_instances: Option<usize>,
    /// Find all compounds. Without them, only those are found that wanted tables have rows of.
    /// Nothing else gets these, and the outcome lacks what the others would add to it.
    pub compounds: bool,
    /// The tables whose rows are given to [`crate::Sinks::tables`].
    pub tables: Wanted,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            threads: 1,
            window_events: 250_000,
            path: false,
            within: None,
            task_steps: false,
            task_instances: None,
            compounds: true,
            tables: Wanted::ALL,
        }
    }
}

impl Options {
    /// The tables that compounds are found for; `None` if all compounds are wanted.
    pub(crate) fn only_tables(&self) -> Option<Wanted> {
        (!self.compounds).then_some(self.tables)
    }
}
