//! Reports of an analysed run: the summary that `run` prints, the three weighted trees as text, a
//! machine-readable report, the offline page, and the catalogue as text.
//!
//! Design constraints:
//! * A report is a function from a cube to a string. Nothing here reads a file, knows a terminal,
//!   or computes a severity: what is shown was computed in `analysis`.
//! * Without colour and bars the output is plain text that can be piped and compared.
//! * In every tree a collapsed node shows its inclusive value and an expanded one its exclusive
//!   value, so that what is visible always sums to the whole (POMP paper, section 5).

pub mod check;
mod code_times;
mod diff;
mod diff_page;
mod difference;
mod dilation;
mod explain;
mod explain_run;
mod factors;
mod flat;
mod gains;
mod hot_lines;
mod html;
mod json;
mod json_distributions;
mod json_roots;
mod json_schema;
mod layout;
mod limits;
mod moments;
mod nothing_found;
mod one_thread;
mod packing;
mod page;
mod page_calls;
mod page_facts;
mod page_waits;
mod plain_page;
mod processes;
mod resources;
mod scaling;
mod scaling_page;
pub mod score;
mod serial;
mod shown;
mod summary;
mod task_analysis;
mod tasks;
mod team_sizes;
mod trees;
mod visits;
mod waits;
pub mod web;
mod what_if;

pub use diff::{diff, diff_json};
pub use diff_page::diff_page;
pub use explain::{UnknownProperty, distance, explain};
pub use explain_run::{explain_in, explain_other};
pub use flat::{FlatBy, FlatKey, FlatOf, FlatOptions, flat, flat_json};
pub use hot_lines::{HotLine, hot_lines};
pub use html::{Html, html, write_html};
pub use json::{JsonReport, json, json_report, json_trees};
pub use json_schema::json_schema;
pub use packing::{base64, packed};
pub use page::{Page, write_page_data};
pub use processes::{JsonProcess, processes};
pub use resources::{OfRanks, RankResources, Resources};
pub use scaling::{scaling_json, scaling_picture, scaling_text};
pub use scaling_page::scaling_page;
pub use serial::{JsonConstructCost, JsonSerial, serial};
pub use summary::summary;
pub use task_analysis::{task_analysis, task_analysis_json};
pub use tasks::tasks;
pub use team_sizes::{TeamSizeRun, TeamSizes};
pub use trees::{TreeOptions, trees};
pub use visits::visits;
pub use waits::waits;
pub use what_if::{Change, FASTER, FasterRegion, FasterRun, RemovedFinding, WhatIf};

use pompeii_analysis::{Machine, Measuring, SerialCosts};

/// How a report is laid out.
#[derive(Clone, Debug)]
pub struct Options {
    /// Columns of the terminal; output is wrapped to it.
    pub width: usize,
    /// Whether names stay whole where they are wider than their column, as a pipe wants them.
    pub whole_names: bool,
    /// Whether to use ANSI colours.
    pub color: bool,
    /// Whether to draw bars.
    pub bars: bool,
    /// How many findings to show at most.
    pub top: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { width: 80, whole_names: false, color: false, bars: false, top: 5 }
    }
}

/// What a report says about a run that its cube does not know: from the manifest.
#[derive(Clone, Debug, Default)]
pub struct RunInfo {
    /// The experiment as the user names it on the command line; empty where there is none.
    pub experiment: String,
    /// The capture path: `source`, `OMPT`, ...; empty where unknown.
    pub observed_by: String,
    /// Size of the trace in bytes, where there is one.
    pub trace_bytes: Option<u64>,
    /// What the machine did to the run; the report says this first.
    pub machine: Machine,
    /// The command as it is typed into a shell; empty where unknown.
    pub command: String,
    /// Date and time at which the run began; empty where unknown.
    pub started: String,
    /// The host of its first process; empty where unknown.
    pub host: String,
    /// How it was measured; `None` where that is not known, for example for other tools' profiles.
    pub measuring: Option<Measuring>,
    /// Sentences on what the tool itself cost or lost; each becomes a line.
    pub notes: Vec<String>,
    /// How long the run would take with changes; `None` without an analysis of its trace.
    pub what_if: Option<WhatIf>,
    /// What it used besides CPU time; `None` if that is not known.
    pub resources: Option<Resources>,
    /// What it costs more than a run on one thread; `None` without such a run.
    pub serial: Option<SerialCosts>,
}
