//! What every room of Pompeii talks about: regions, call paths, locations, metrics and the one
//! severity cube over them.
//!
//! Design constraints:
//! * No I/O, no printing, no clocks: values come in, values go out.
//! * Severities are integers (clock ticks or counts), so that two ways to the same number can be
//!   compared for equality. Seconds appear only where a value is displayed or written to a file.
//! * Ids are newtypes over dense indices; only its own id can index a table ([`IndexVec`]).
//!
//! ```
//! use pompeii_model::{CallTree, Region, Role};
//! let mut calls = CallTree::default();
//! let main = calls.add_root(pompeii_model::RegionId(0));
//! let loop_path = calls.child(main, pompeii_model::RegionId(1));
//! assert_eq!(calls.child(main, pompeii_model::RegionId(1)), loop_path);
//! assert_eq!(Region::artificial("TASKS").role, Role::Artificial);
//! ```

mod calltree;
mod communicator;
mod cube;
mod depend;
mod display;
mod distribution;
mod ids;
mod longer;
mod metric;
mod pthread;
mod region;
mod role;
mod root;
mod row;
mod schedule;
mod short_name;
mod shown;
mod statistics;
pub mod sums;
mod system;
mod time;
mod unify;
mod wait;

#[cfg(debug_assertions)]
pub use calltree::steps_over_call_trees;
pub use calltree::{CallNode, CallTree};
pub use communicator::{Communicator, CommunicatorKey, Grid};
pub use cube::Cube;
pub use depend::{DEPEND_ITEMS_MAX, DEPEND_UNKNOWN, DependKind};
pub use display::{Combine, Display};
pub use distribution::{
    Distribution, Moments, TASKS_FILE, TaskTime, TaskTimes, VISITS_FILE, VisitTimes,
};
pub use ids::{Id, IndexVec};
pub use metric::{Metric, Unit};
pub use pthread::PthreadClass;
pub use region::{
    CALLER_PARAMETER, MEASUREMENT_OFF, OF_SYSTEM, PARAMETER_OTHERS, Paradigm, Region, SAMPLED,
};
pub use role::{Code, Role};
pub use root::{ROOTS_FILE, Root};
pub use row::Row;
pub use short_name::short_name;
pub use statistics::{STATISTICS_FILE, Severe, Statistics};
pub use system::{Location, Process, System};
pub use time::{Frequency, Ticks};
pub use unify::{Definitions, Map, Union, unify, unify_all};
pub use wait::{WAITS_FILE, Wait};

ids::id!(
    /// A region: one construct, function or user region of the source.
    RegionId
);
ids::id!(
    /// A call path: a node of the [`CallTree`].
    CallId
);
ids::id!(
    /// A location: one thread of execution.
    LocationId
);
ids::id!(
    /// A process of the run.
    ProcessId
);
ids::id!(
    /// A communicator: processes, or threads of a team.
    CommunicatorId
);
ids::id!(
    /// A metric or performance property.
    MetricId
);
