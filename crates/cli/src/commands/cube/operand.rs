//! Where the reports of `pompeii cube` come from and where its results go.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use pompeii_algebra::{Outcome, Rows, write};
use pompeii_cubex::{Reader, WriteOptions};
use serde::Serialize;

use crate::experiment::{self, Damaged};
use crate::output::{self, print, say};
use crate::packed::{self, Need};
use crate::terminal::{make_printable, shown};

/// What measurement systems call the report in their directories, the newest first.
const REPORTS: [&str; 5] =
    ["profile.cubex", "trace.cubex", "summary.cubex", "summary.cube.gz", "summary.cube"];

/// Opens a report: a file, or the report of an experiment directory.
///
/// # Errors
/// What is missing or unreadable, and what to do.
pub fn open(path: &Path) -> Result<Reader> {
    open_even(path, Damaged::default())
}

fn open_even(path: &Path, damaged: Damaged) -> Result<Reader> {
    let path = packed::folder(path, Need::Reports)?;
    let file = if path.is_dir() { in_folder(&path)? } else { path.into_owned() };
    if !file.exists() {
        bail!(
            "{}: no such report; expected a .cubex, .cube or .cube.gz file or an experiment",
            shown(&file)
        );
    }
    damaged.open_report(&file)
}

/// As [`Operand::open_to_print`].
///
/// # Errors
/// As [`open`].
pub fn open_to_print(path: &Path, json: bool) -> Result<Reader> {
    printable(open(path)?, json)
}

fn printable(mut reader: Reader, json: bool) -> Result<Reader> {
    if !json {
        reader.change_texts(&mut make_printable);
    }
    Ok(reader)
}

fn in_folder(folder: &Path) -> Result<PathBuf> {
    experiment::finish_if_needed(folder)?;
    let found = REPORTS.iter().map(|name| folder.join(name)).find(|path| path.is_file());
    found.with_context(|| {
        let names = REPORTS.join(", ");
        format!("{}: no report in this directory; expected one of {names}", shown(folder))
    })
}

/// The one report that a tool is about.
#[derive(clap::Args)]
pub struct Operand {
    /// The report
    #[arg(value_name = "REPORT")]
    report: PathBuf,
    #[command(flatten)]
    damaged: Damaged,
}

impl Operand {
    /// As [`open`].
    ///
    /// # Errors
    /// As [`open`].
    pub fn open(&self) -> Result<Reader> {
        open_even(&self.report, self.damaged)
    }

    /// The same for standard output: text without control characters, JSON exactly.
    ///
    /// # Errors
    /// As [`open`].
    pub fn open_to_print(&self, json: bool) -> Result<Reader> {
        printable(self.open()?, json)
    }
}

/// Where a result goes.
#[derive(clap::Args)]
pub struct Output {
    /// File for the new report; the suffix .cube or .cube.gz selects the format Cube 3 [default:
    /// name of the command with .cubex]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Compress the values (only in the format Cube 4)
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
            .with_context(|| format!("cannot write {}", shown(&path)))?;
        notes.iter().for_each(|note| say(format!("note: {note}")));
        say(format!("{} is written", shown(&path)));
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
    output::print_json(&(serde_json::to_string_pretty(value)? + "\n"))
}

/// Prints a result for programs or for people.
///
/// # Errors
/// What the system says.
pub fn show(value: &impl Serialize, json: bool, text: impl Fn() -> String) -> Result<()> {
    if json { print_json(value) } else { print(&text()) }
}

/// Several names in one word, as the report of [`Operand::open_to_print`] has them.
pub fn list(text: &[String], json: bool) -> Vec<String> {
    text.iter().flat_map(|word| word.split(',')).map(|name| named(name.trim(), json)).collect()
}

/// A name that the user may give as it is shown or as the file has it.
pub fn named(name: &str, json: bool) -> String {
    if json { name.to_owned() } else { shown(name).into_owned() }
}
