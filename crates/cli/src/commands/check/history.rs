//! The file that `check --history` appends to, and the pictures next to it.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use pompeii_report::check::{Checked, Line, badge, history_page, read_history};

use crate::date;
use crate::terminal::{cannot, shown};

/// What a history has so far.
pub struct History {
    file: PathBuf,
    lines: Vec<Line>,
}

/// Reads a history; a file that does not exist is an empty one.
///
/// # Errors
/// Why the file cannot be a history.
pub fn read(file: &Path) -> Result<History> {
    let suffix = file.extension().unwrap_or_default();
    if suffix == "html" || suffix == "svg" {
        bail!(
            "--history {}: this name is for a picture of the history; expected another suffix, for \
             example .jsonl",
            shown(file)
        );
    }
    let text = match fs::read_to_string(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        text => text.with_context(|| cannot("read", file))?,
    };
    let lines = read_history(&text).with_context(|| shown(file).into_owned())?;
    Ok(History { file: file.to_owned(), lines })
}

impl History {
    /// Appends the results of a run, and draws the page and the badge again.
    ///
    /// # Errors
    /// What cannot be written.
    pub fn add(mut self, experiment: &str, checked: &[Checked]) -> Result<()> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let line = Line::new(&date::text(now.as_secs()), experiment, checked);
        let append = || {
            let mut file = OpenOptions::new().append(true).create(true).open(&self.file)?;
            // One write, so that the lines of two commands do not mix.
            file.write_all(line.json().as_bytes())
        };
        append().with_context(|| cannot("write", &self.file))?;
        self.lines.push(line);
        let pictures = [("html", history_page(&self.lines)), ("svg", badge(&self.lines))];
        for (suffix, text) in pictures {
            let picture = self.file.with_extension(suffix);
            fs::write(&picture, text).with_context(|| cannot("write", &picture))?;
        }
        Ok(())
    }
}
