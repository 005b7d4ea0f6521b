//! What a run has, as tables: record batches of Apache Arrow, which dataframes, databases and
//! other languages take without a copy.
//!
//! ```text
//! profile.cubex ─▶ severity cube ─▶ metrics, call paths, regions, locations, severities
//! traces.otf2 ──┬▶ event reader ──▶ events
//!               └▶ trace engine ──▶ calls, visits, barriers, locks, messages, tasks, waits, ...
//! ```
//!
//! * [`open()`]: an experiment, a trace or a Cube report. Start reading here.
//! * [`dimensions`]: what the numbers in the other tables stand for.
//! * [`Run::table`]: all tables by their names.
//! * [`Severities`]: the values of the cube.
//! * [`Run::store`]: properties of the user's own, for reports.
//! * [`Trace`]: the tables of a trace. [`Events`] reads its records, [`Facts`] gets what the engine
//!   finds.
//!
//! Small tables are one batch. All others come in batches of at most 65,536 rows while a consumer
//! asks for them, so memory does not follow the length of a trace. Times are integers in ticks of a
//! clock that the run names, and severities are integers, too: seconds are a matter of display.

mod columns;
pub mod dimensions;
mod error;
mod events;
mod facts;
mod named;
mod numbering;
mod open;
mod own;
mod severities;
mod trace;

pub use error::Error;
pub use events::{EVENTS, Events};
pub use facts::{Facts, Rows};
pub use named::Reader;
pub use open::{Run, open};
pub use own::{Larger, OwnProperty};
/// What callers need of the model: numbers of locations, what values are, and how they are shown.
pub use pompeii_model::{Combine, Display, LocationId, Unit};
pub use severities::Severities;
pub use trace::{Table, Trace};
