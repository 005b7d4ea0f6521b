//! The options that steer the instrumenter, the same on every road to it: `pompeii instrument`,
//! `pompeii compile`, the drop-in compilers, `POMPEII_INSTRUMENT` and `pompeii.toml`.
//!
//! To add one: a field here and the line that hands it to the instrumenter in
//! [`InstrumentOptions::for_source`].

use anyhow::{Result, anyhow};
use pompeii_instrument::{Disabled, Language, Options};

/// What `pompeii compile` and `pompeii instrument` have in common.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "What is instrumented, and how")]
pub struct InstrumentOptions {
    /// Constructs without events, separated by commas; `sync` for all short synchronisation
    #[arg(long, value_name = "LIST", default_value = "", hide_default_value = true)]
    pomp_disable: String,
    /// No line markers in the result: messages and debuggers name its own lines
    #[arg(long)]
    nosrc: bool,
}

impl InstrumentOptions {
    /// The instrumenter's options for one source.
    ///
    /// # Errors
    /// A word that an option does not know.
    pub fn for_source(&self, path: &str, language: Language) -> Result<Options> {
        let mut options = Options::new(path, language);
        options.disabled = Disabled::parse(&self.pomp_disable)
            .map_err(|message| anyhow!("--pomp-disable: {message}"))?;
        options.line_markers = !self.nosrc;
        Ok(options)
    }
}
