//! Why a run has no tables: what cannot be opened, and what to do.

use std::path::PathBuf;

use arrow_schema::ArrowError;
use pompeii_finish::quoted;
use thiserror::Error;

/// Why something cannot be opened or read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no such file or folder.
    #[error(
        "{}: no such file or folder; expected an experiment, a trace (traces.otf2) or a Cube \
         report (.cubex)",
        quoted(.0)
    )]
    Missing(PathBuf),
    /// The folder has neither a profile nor a trace.
    #[error(
        "{}: no profile.cubex and no traces.otf2; expected an experiment, as `pompeii run` makes",
        quoted(.0)
    )]
    NoExperiment(PathBuf),
    /// Its program may be running.
    #[error("{}: process {pid} has not ended; open the experiment when it has", quoted(folder))]
    Running {
        /// The experiment.
        folder: PathBuf,
        /// Id of the process.
        pid: u64,
    },
    /// The run has no trace.
    #[error(
        "{}: this table is made of a trace, and there is none; `pompeii run --trace` records one",
        quoted(.0)
    )]
    NoTrace(PathBuf),
    /// There is no table of this name.
    #[error("`{name}` is no table; expected one of {known}")]
    NoTable {
        /// What was asked for.
        name: String,
        /// All names.
        known: String,
    },
    /// Another property has the name.
    #[error("`{0}` is the name of a property of Pompeii; choose another one")]
    Taken(String),
    /// A maximum or a mean is declared as a part.
    #[error(
        "`{name}` is a part of `{whole}` and displayed as {words}; parts are sums: leave the parent \
         out, or declare no maximum and no mean"
    )]
    NoPart {
        /// The property.
        name: String,
        /// Its parent.
        whole: String,
        /// How it is displayed.
        words: String,
    },
    /// A maximum or a mean is declared as the whole.
    #[error("`{name}` is a part of `{whole}`, which is displayed as {words}; only a sum has parts")]
    NoWhole {
        /// The property.
        name: String,
        /// Its parent.
        whole: String,
        /// How that one is displayed.
        words: String,
    },
    /// The percentages of a property refer to nothing.
    #[error(
        "`{name}` is shown in percent of `{whole}`, and there is no such metric; expected the name \
         of a property of `pompeii explain` or of one that is stored together with it"
    )]
    NoMetric {
        /// The property.
        name: String,
        /// What it is to be a percentage of.
        whole: String,
    },
    /// The percentages of a property refer to something in another unit.
    #[error(
        "`{name}` is in {} and shown in percent of `{whole}`, which is in {}; expected two metrics \
         of the same unit",
        .units.0,
        .units.1
    )]
    OtherUnit {
        /// The property.
        name: String,
        /// What it is to be a percentage of.
        whole: String,
        /// The units of both.
        units: (&'static str, &'static str),
    },
    /// What a program left cannot be made an experiment.
    #[error("cannot finish or write the experiment: {0}")]
    Finish(#[from] pompeii_finish::Error),
    /// The profile cannot be opened.
    #[error("cannot open the profile: {0}")]
    Cube(#[from] pompeii_cubex::Error),
    /// The profile cannot be read.
    #[error("cannot read the profile: {0}")]
    Load(#[from] pompeii_analysis::LoadError),
    /// The trace cannot be read.
    #[error("cannot read the trace: {0}")]
    Trace(#[from] pompeii_otf2::Error),
    /// The analysis ended without a result: this is a fault of Pompeii.
    #[error("the analysis of the trace has failed; this is a fault of Pompeii, please report it")]
    Failed,
    /// Columns do not form a batch: this is a fault of Pompeii.
    #[error("cannot make a batch: {0}")]
    Arrow(#[from] ArrowError),
}

impl From<Error> for ArrowError {
    fn from(error: Error) -> ArrowError {
        match error {
            Error::Arrow(error) => error,
            other => ArrowError::ExternalError(Box::new(other)),
        }
    }
}
