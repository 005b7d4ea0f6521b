//! The options that steer the instrumenter, the same on every road to it: `pompeii instrument`,
//! `pompeii compile`, the drop-in compilers, `POMPEII_INSTRUMENT` and `pompeii.toml`.
//!
//! To add one: a field here and the line that hands it to the instrumenter in
//! [`InstrumentOptions::for_source`].

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow};
use pompeii_filter::Filter;
use pompeii_instrument::{Abi, ConstructSet, Functions, Language, Locks, Options};

use crate::terminal::cannot;

/// What `pompeii compile` and `pompeii instrument` have in common.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "What is instrumented, and how")]
pub struct InstrumentOptions {
    /// Interface of the inserted calls: that of the POMP paper, or that of OPARI2
    #[arg(long, value_enum, default_value_t = Interface::Pomp, value_name = "ABI")]
    abi: Interface,
    /// Add a barrier at the end of each parallel region, as the POMP paper does
    #[arg(long)]
    explicit_end_barrier: bool,
    /// Do not measure these constructs, for example `atomic,critical`; `sync`: all short
    /// synchronisation; `extensions`: all constructs without a routine in the POMP paper
    #[arg(long, value_name = "LIST", default_value = "", hide_default_value = true)]
    pomp_disable: String,
    /// Time these constructs instead of only counting them: `flush`, `atomic`
    #[arg(long, value_name = "LIST", default_value = "", hide_default_value = true)]
    pomp_enable: String,
    /// How lock routines are measured: the library replaces them at link time (the default), or
    /// the source calls the library instead (the default with --abi pomp2)
    #[arg(long, value_enum, value_name = "HOW")]
    locks: Option<LockCalls>,
    /// Time the chunks of worksharing loops; costs two events per iteration
    #[arg(long)]
    loop_chunks: bool,
    /// Measure functions and procedures too
    #[arg(long)]
    functions: bool,
    /// Measure only the functions selected by this file, in the syntax of Score-P's filters
    #[arg(long, value_name = "FILE", requires = "functions")]
    filter: Option<PathBuf>,
    /// Write no line markers: messages and debuggers then show lines of the rewritten file
    #[arg(long)]
    nosrc: bool,
}

/// The words of `--locks`.
#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum LockCalls {
    Interpose,
    Rewrite,
}

/// The words of `--abi`.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq)]
enum Interface {
    Pomp,
    Pomp2,
}

impl InstrumentOptions {
    /// The instrumenter's options for one source.
    ///
    /// # Errors
    /// A word that an option does not know.
    pub fn for_source(&self, path: &str, language: Language) -> Result<Options> {
        let mut options = Options::new(path, language);
        options.disabled = self.disabled()?;
        options.enabled = ConstructSet::enabled(&self.pomp_enable)
            .map_err(|message| anyhow!("--pomp-enable: {message}"))?;
        options.abi = if self.is_pomp2() { Abi::Pomp2 } else { Abi::Pomp };
        options.end_barrier = self.explicit_end_barrier;
        options.locks = match (self.locks, self.abi) {
            (Some(LockCalls::Rewrite), _) | (None, Interface::Pomp2) => Locks::Rewrite,
            (Some(LockCalls::Interpose), _) | (None, Interface::Pomp) => Locks::Interpose,
        };
        options.loop_chunks = self.loop_chunks;
        options.line_markers = !self.nosrc;
        options.functions = self.functions.then(|| self.read_filter()).transpose()?;
        Ok(options)
    }

    fn disabled(&self) -> Result<ConstructSet> {
        ConstructSet::disabled(&self.pomp_disable)
            .map_err(|message| anyhow!("--pomp-disable: {message}"))
    }

    /// Whether the library stands in for lock routines.
    ///
    /// # Errors
    /// A construct that is not known.
    pub fn observes_locks(&self) -> Result<bool> {
        Ok(!self.disabled()?.contains("locks"))
    }

    /// Whether the calls are those of OPARI2.
    pub fn is_pomp2(&self) -> bool {
        self.abi == Interface::Pomp2
    }

    /// Whether sources without directives have something to measure, too.
    pub fn measures_functions(&self) -> bool {
        self.functions
    }

    fn read_filter(&self) -> Result<Functions> {
        let folder = std::env::current_dir().ok();
        let Some(path) = &self.filter else {
            return Ok(Functions { folder, ..Functions::default() });
        };
        let name = || cannot("read the filter", path);
        let text = fs::read_to_string(path).with_context(name)?;
        let filter = Filter::parse(&text).with_context(name)?;
        Ok(Functions { filter, folder })
    }
}
