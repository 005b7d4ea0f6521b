//! The results of `pompeii analyze` in an experiment. Reports use them in addition to the profile.
//! If they cannot be used, reports say why, and show the profile.

use std::path::Path;

use anyhow::{Context, Result};
use pompeii_cubex::Reader;
use pompeii_model::Cube;

use crate::failure;
use crate::progress::Progress;
use crate::terminal::{shown, shown_name};

/// The report of a trace, in the folder of the results.
pub const CUBE_FILE: &str = "trace.cubex";

/// Adds what only the trace of an experiment knows to what was measured. Returns a sentence for the
/// report, if the trace was analyzed. The user knows the experiment as `named`.
pub fn add(measured: &mut Cube, folder: &Path, named: &Path) -> Option<String> {
    let file = folder.join(CUBE_FILE);
    let shown_file = shown_name(&named.join(CUBE_FILE));
    if !file.exists() {
        return None;
    }
    let _progress = Progress::of(format!("reading {}", shown(&file)));
    Some(match try_add(measured, &file) {
        Ok(()) => {
            format!("Causes of waiting are those of the trace analysis in {shown_file}.")
        }
        Err(error) => format!(
            "The trace analysis in {shown_file} is not used: {}. `pompeii analyze {}` makes a new \
             one.",
            failure::message(&error),
            shown_name(named)
        ),
    })
}

fn try_add(measured: &mut Cube, file: &Path) -> Result<()> {
    let trace = Reader::open(file).context("it cannot be read")?;
    let trace = pompeii_analysis::measured(&trace).context("it cannot be read")?;
    Ok(pompeii_analysis::add_trace(measured, &trace)?)
}
