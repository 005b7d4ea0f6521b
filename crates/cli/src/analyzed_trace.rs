//! The results of `pompeii analyze` in an experiment. Reports use them in addition to the profile.
//! If they cannot be used, reports say why, and show the profile.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use pompeii_analysis::Removed;
use pompeii_cubex::Reader;
use pompeii_model::Cube;
use pompeii_report::{Change, WhatIf};
use serde::Deserialize;

use crate::failure;
use crate::progress::Progress;
use crate::terminal::{shown, shown_name};

/// The report of a trace, in the folder of the results.
pub const CUBE_FILE: &str = "trace.cubex";

/// The results for programs and for the viewer, next to it.
pub const JSON_FILE: &str = "analysis.json";

/// What the analysis of a trace brings to a report.
#[derive(Debug, Default)]
pub struct Added {
    /// A sentence for the report; `None` if the trace was not analyzed.
    pub note: Option<String>,
    /// How long the run would take with changes, if that was computed.
    pub what_if: Option<WhatIf>,
    /// The measured values with entries for task instances, if the analysis has such entries.
    pub with_task_entries: Option<Cube>,
}

/// Adds what only the trace of an experiment knows to what was measured. The user knows the
/// experiment as `named`.
pub fn add(measured: &mut Cube, folder: &Path, named: &Path) -> Added {
    let file = folder.join(CUBE_FILE);
    if !file.exists() {
        return Added::default();
    }
    let _progress = Progress::of(format!("reading {}", shown(&file)));
    let not_used = |file: &str, error| {
        format!(
            "The trace analysis in {} is not used: {}. `pompeii analyze {}` makes a new one.",
            shown_name(&named.join(file)),
            failure::message(&error),
            shown_name(named)
        )
    };
    let with_task_entries = match try_add(measured, &file) {
        Ok(with) => with,
        Err(error) => {
            let note = Some(not_used(CUBE_FILE, error));
            return Added { note, ..Added::default() };
        }
    };
    let shown_file = shown_name(&named.join(CUBE_FILE));
    let causes = format!("Causes of waiting are those of the trace analysis in {shown_file}.");
    match what_if(measured, &folder.join(JSON_FILE)) {
        Ok(what_if) => Added { note: Some(causes), what_if, with_task_entries },
        Err(error) => {
            let note = format!("{causes} {}", not_used(JSON_FILE, error));
            Added { note: Some(note), what_if: None, with_task_entries }
        }
    }
}

/// Returns the values with entries for task instances, if there are any.
fn try_add(measured: &mut Cube, file: &Path) -> Result<Option<Cube>> {
    let trace = Reader::open(file).context("it cannot be read")?;
    let trace = pompeii_analysis::measured(&trace).context("it cannot be read")?;
    pompeii_analysis::add_trace(measured, &trace)?;
    Ok(pompeii_analysis::with_task_entries(measured, &trace))
}

/// What is read back of `analysis.json`.
#[derive(Deserialize)]
struct Analysis {
    wall_s: f64,
    what_if: Option<WhatIf>,
}

/// How long the run would take with changes; `None` if that was not computed.
fn what_if(measured: &Cube, file: &Path) -> Result<Option<WhatIf>> {
    /// Two times of one run differ by rounding only.
    const SAME: f64 = 1e-6;
    if !file.exists() {
        return Ok(None);
    }
    let text = fs::read(file).context("it cannot be read")?;
    let analysis: Analysis = serde_json::from_slice(&text).context("it cannot be read")?;
    let wall_s = measured.clock.seconds(measured.wall_ticks);
    if (analysis.wall_s - wall_s).abs() > SAME * wall_s {
        bail!("it is of another run, or older than the profile");
    }
    Ok(analysis.what_if)
}

/// A change as a finding that was removed; `None` if it is another change.
pub fn removed(what_if: &WhatIf, change: &Change) -> Option<Removed> {
    let removed = change.removed.as_ref()?;
    let gain_s = what_if.wall_s - change.wall_s;
    let share = |kept_s: f64| match gain_s > 0.0 {
        true => ((kept_s - change.wall_s).abs() / gain_s).min(1.0),
        false => 0.0,
    };
    Some(Removed {
        property: removed.property.clone(),
        region: removed.region.clone(),
        cause: removed.cause.clone(),
        lost_s: removed.lost_s,
        gain_s,
        is_bound: change.is_upper_bound,
        lock_order_share: removed.wall_with_lock_waits_s.map(share),
    })
}
