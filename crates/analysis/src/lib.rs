//! From what was measured to what was lost: performance properties, efficiencies and findings over
//! the severity cube of a run.
//!
//! Design constraints:
//! * Values come in, values go out: no I/O, no printing, no terminal.
//! * Everything is a sum over boxes of one cube (property x call path x location) in integer clock
//!   ticks. The tree of properties always sums to wall time x locations; [`check_sum`] says so.
//! * A property is one file in `properties/`: name, documentation, computation and tests. The
//!   metric tree, `explain`, the page's help and the manual are generated from that list.
//!
//! ```
//! use pompeii_analysis as analysis;
//! let measured = analysis::notation::cube(
//!     "wall=100 locations=2
//!      ocean                             0  time=40
//!      ocean/parallel@ocean.c:5          *  time=60  visits=1",
//! )?;
//! let cube = analysis::derive(&measured);
//! assert!(analysis::check_sum(&cube).is_ok());
//! let idle = cube.metric("omp_idle_threads").map(|metric| cube.total(metric));
//! assert_eq!(idle, Some(40)); // thread 1 while thread 0 runs the serial part
//! # Ok::<(), analysis::notation::NotationError>(())
//! ```

mod allocation;
mod bounds;
mod code_times;
pub mod compare;
mod consequences;
mod counted;
mod derive;
mod dilation;
mod dispatch;
mod display;
mod efficiency;
pub mod findings;
pub mod format;
mod gain_of_all;
mod idle;
mod impact;
mod lens;
mod load;
pub mod loops;
mod machine;
mod measuring;
mod median;
mod mpi_class;
pub mod notation;
mod overlap;
mod own_messages;
mod own_reason;
pub mod processor;
pub mod profile;
pub mod properties;
pub mod reference;
mod removed;
pub mod rules;
mod run;
pub mod scaling;
pub mod score;
pub mod selection;
mod serial_costs;
mod sums;
mod task_entries;
mod task_times;
pub mod tasks;
pub mod team_sizes;
pub mod trace;
mod traced;
mod undisturbed;
mod waits;
mod wildcards;
mod without_cpu;

pub use allocation::{AllocationPart, allocation, allocation_on};
pub use code_times::{CodeTimes, code_times};
pub use counted::{Counted, counted_only};
pub use derive::derive;
pub use dilation::{Dilation, dilation};
pub use dispatch::{Chunk, Dispatch};
pub use efficiency::{Efficiencies, efficiencies};
pub use findings::{Advice, AdviceKind, Cause, Finding, FromTrace, Gain, RootCause, findings};
pub use gain_of_all::gain_of_all;
pub use lens::{Lens, MANY_SAMPLES};
pub use load::{LoadError, load, measured};
pub use machine::{Explains, Machine, MachineCause, findings_on};
pub use measuring::Measuring;
pub use properties::{Compute, Doc, Property};
pub use reference::{Reference, ReferenceError};
pub use removed::Removed;
pub use serial_costs::{ConstructCost, SerialCosts, Spent};
pub use sums::{SumError, check_sum};
pub use task_entries::with_task_entries;
pub use task_times::{TaskInstances, task_instances};
pub use traced::{OtherRun, add_trace};
pub use waits::{WaitedAt, WaitedFor, waited_at};
pub use without_cpu::computing_without_cpu;
