//! `pompeii explain`: what a performance property means, how it is computed, what to try;
//! and the same for a cause of findings. With an experiment it also says how much of the property a
//! run has, and where.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use pompeii_analysis::properties;

use super::analyze::instances;
use crate::experiment::{self, Damaged};
use crate::output::print;

/// Columns of the text.
const COLUMNS: usize = 80;

/// Options of `explain`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii explain                          list all properties and causes
    pompeii explain omp_ibarrier_wait
    pompeii explain omp_ibarrier_wait first  and how much of it is in the experiment first
    pompeii explain imbalance_steady")]
pub struct Arguments {
    /// Unique name of the property, or a cause of findings; without it, all are listed
    #[arg(value_name = "PROPERTY")]
    property: Option<String>,
    /// An experiment: show where it has most of the property, and what the waiting there goes back
    /// to, if its trace was analyzed
    #[arg(value_name = "EXP", requires = "property")]
    experiment: Option<PathBuf>,
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    let name = arguments.property.as_deref();
    if let (Some(name), Some(folder)) = (name, &arguments.experiment)
        && let Some(text) = other(name, folder)?
    {
        print(&text)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = pompeii_report::explain(name, COLUMNS)?;
    let known = name.and_then(properties::find);
    if let (Some(property), Some(folder)) = (known, &arguments.experiment) {
        let experiment = experiment::open(folder, Damaged::default())?.printable();
        let values = pompeii_report::explain_in(&experiment.cube, property.name, COLUMNS);
        text += &format!("\n{values}");
        // Those of an analysis that does not belong to the run are not its instances.
        if !values.is_empty() && !experiment.cube.roots.is_empty() {
            text += &instances::explain(folder, property.name)?;
        }
        text += &experiment.trace_note.map_or(String::new(), |note| format!("\n{note}\n"));
    }
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// The text for a metric of an experiment that is no property of Pompeii. `None` if it is one, or a
/// cause, or unknown.
fn other(name: &str, folder: &Path) -> Result<Option<String>> {
    if pompeii_report::explain(Some(name), COLUMNS).is_ok() {
        return Ok(None);
    }
    let experiment = experiment::open(folder, Damaged::default())?.printable();
    Ok(pompeii_report::explain_other(&experiment.cube, name, COLUMNS))
}
