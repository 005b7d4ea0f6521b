//! `pompeii explain`: what a performance property means, how it is computed, what to try.

use std::process::ExitCode;

use anyhow::Result;

use super::print;

/// Options of `explain`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii explain                        list all properties
    pompeii explain omp_ibarrier_wait")]
pub struct Arguments {
    /// Unique name of the property; without it, all properties are listed
    #[arg(value_name = "PROPERTY")]
    property: Option<String>,
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    let name = arguments.property.as_deref();
    print(&pompeii_report::explain(name, 80)?)?;
    Ok(ExitCode::SUCCESS)
}
