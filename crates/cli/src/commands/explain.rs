//! `pompeii explain`: what a performance property means, how it is computed, what to try;
//! and the same for a cause of findings.

use std::process::ExitCode;

use anyhow::Result;

use super::print;

/// Options of `explain`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii explain                        list all properties and causes
    pompeii explain omp_ibarrier_wait
    pompeii explain imbalance_steady")]
pub struct Arguments {
    /// Unique name of the property, or a cause of findings; without it, all are listed
    #[arg(value_name = "PROPERTY")]
    property: Option<String>,
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    let name = arguments.property.as_deref();
    print(&pompeii_report::explain(name, 80)?)?;
    Ok(ExitCode::SUCCESS)
}
