//! The waiting of the report: which location waited where, and for which other one.

use pompeii_model::{Cube, Id, Wait};
use schemars::JsonSchema;
use serde::Serialize;

/// Waiting of a location at a call path for another one.
#[derive(Debug, Serialize, JsonSchema)]
pub struct JsonWait {
    /// Where it waited: an index into `call_paths`.
    pub call_path: usize,
    /// Who waited: an index into `locations`.
    pub location: usize,
    /// Where the other one was: an index into `call_paths`. `null` for all causes after the first
    /// few of a call path.
    pub by_call_path: Option<usize>,
    /// The other one: an index into `locations`; `null` together with `by_call_path`.
    pub by_location: Option<usize>,
    /// How often.
    pub visits: i64,
    /// Waiting time.
    pub wait_s: f64,
    /// The part of it in which no task was ready.
    pub starvation_s: f64,
}

pub(super) fn json_wait(cube: &Cube, wait: &Wait) -> JsonWait {
    JsonWait {
        call_path: wait.call.index(),
        location: wait.location.index(),
        by_call_path: wait.by.map(|(call, _)| call.index()),
        by_location: wait.by.map(|(_, location)| location.index()),
        visits: wait.visits,
        wait_s: cube.clock.seconds(wait.wait_ticks),
        starvation_s: cube.clock.seconds(wait.starvation_ticks),
    }
}
