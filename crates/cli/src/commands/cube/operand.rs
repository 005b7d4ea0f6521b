//! Where the reports of `pompeii cube` come from and where its results go.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use pompeii_algebra::{Outcome, Rows, write};
use pompeii_cubex::{Reader, WriteOptions};
use serde::Serialize;

use crate::commands::{print, say};
use crate::experiment;

/// What measurement systems call the report in their directories, the newest first.
const REPORTS: [&str; 5] =
    ["profile.cubex", "trace.cubex", "summary.cubex", "summary.cube.gz", "summary.cube"];

/// Opens a report: a file, or the report of an experiment directory.
///
/// # Errors
/// What is missing or unreadable, and what to do.
pub fn open(path: &Path) -> Result<Reader> {
    let file = if path.is_dir() { in_folder(path)? } else { path.to_owned() };
    if !file.exists() {
        bail!(
            "{}: no such report; expected a .cubex, .cube or .cube.gz file or an experiment",
            file.display()
        );
    }
    experiment::open_report(&file)
}

fn in_folder(folder: &Path) -> Result<PathBuf> {
    experiment::finish_if_needed(folder)?;
    let found = REPORTS.iter().map(|name| folder.join(name)).find(|path| path.is_file());
    found.with_context(|| {
        let names = REPORTS.join(", ");
        format!("{}: no report in this directory; expected one of {names}", folder.display())
    })
}

/// The one report that a tool is about.
#[derive(clap::Args)]
pub struct Operand {
    /// The report
    #[arg(value_name = "REPORT")]
    report: PathBuf,
}

impl Operand {
    /// As [`open`].
    ///
    /// # Errors
    /// As [`open`].
    pub fn open(&self) -> Result<Reader> {
        open(&self.report)
    }
}

/// Where a result goes.
#[derive(clap::Args)]
pub struct Output {
    /// The new report; a name that ends in .cube or .cube.gz makes it Cube 3 [default: the
    /// command's name and .cubex]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Compress the values (Cube 4)
    #[arg(long)]
    compress: bool,
}

impl Output {
    /// Writes a report, and says what the user must know.
    ///
    /// # Errors
    /// What cannot be read or written.
    pub fn save(&self, rows: &dyn Rows, command: &str) -> Result<ExitCode> {
        let path = self.output.clone().unwrap_or_else(|| format!("{command}.cubex").into());
        let options = WriteOptions { compress: self.compress, ..WriteOptions::default() };
        let notes = write(rows, &path, options)
            .with_context(|| format!("cannot write {}", path.display()))?;
        notes.iter().for_each(|note| say(format!("note: {note}")));
        say(format!("{} is written", path.display()));
        Ok(ExitCode::SUCCESS)
    }

    /// The same for the result of an operator, with its notes.
    ///
    /// # Errors
    /// As [`Output::save`].
    pub fn save_outcome(&self, outcome: &Outcome<'_>, command: &str) -> Result<ExitCode> {
        outcome.notes().iter().for_each(|note| say(format!("note: {note}")));
        self.save(outcome, command)
    }
}

/// Prints a result for programs.
///
/// # Errors
/// What the system says.
pub fn print_json(value: &impl Serialize) -> Result<()> {
    print(&(serde_json::to_string_pretty(value)? + "\n"))
}

/// Prints a result for programs or for people.
///
/// # Errors
/// What the system says.
pub fn show(value: &impl Serialize, json: bool, text: impl Fn() -> String) -> Result<()> {
    if json { print_json(value) } else { print(&text()) }
}

/// Several names in one word.
pub fn list(text: &[String]) -> Vec<String> {
    text.iter().flat_map(|word| word.split(',')).map(|name| name.trim().to_owned()).collect()
}
