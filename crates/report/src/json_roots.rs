//! The causes of waiting in `report --json`: code that the waiting of a finding goes back to.

use pompeii_analysis::Finding;
use pompeii_model::{Cube, Id};
use schemars::JsonSchema;
use serde::Serialize;

/// Code that waiting goes back to, by a trace of the run.
#[derive(Debug, Serialize, JsonSchema)]
pub struct JsonRootCause {
    /// Its call path: an index into `call_paths` of the report.
    pub call_path: usize,
    /// The thread that is late because of it most of the time: an index into `locations`.
    pub location: usize,
    /// Its file; empty if it is unknown.
    pub file: String,
    /// The first line of its region; 0 if it is unknown.
    pub line: u32,
    /// The waiting at the call paths of the finding that goes back to it, summed over all threads.
    pub waiting_s: f64,
    /// The same as a share of all waiting there, between 0 and 1.
    pub share: f64,
}

impl JsonRootCause {
    /// Those of a finding.
    pub fn all(cube: &Cube, finding: &Finding) -> Vec<Self> {
        let one = |root: &pompeii_analysis::RootCause| {
            let region = &cube.regions[cube.calls.region(root.call)];
            Self {
                call_path: root.call.index(),
                location: root.location.index(),
                file: region.file.clone(),
                line: region.begin_line,
                waiting_s: cube.clock.seconds(root.ticks),
                share: root.share,
            }
        };
        finding.roots.iter().map(one).collect()
    }
}
