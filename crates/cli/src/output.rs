//! Where text goes: messages and reports to standard error, data to standard output. Both have
//! passed [`terminal`] before, because they contain foreign names.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use pompeii_otf2::print::printable_json;

use crate::{progress, terminal};

/// Tells the user something, on standard error: standard output is for data.
pub fn say(text: impl AsRef<str>) {
    let line = format!("pompeii: {}\n", terminal::message(text.as_ref()));
    progress::without_line(|| print_error_bytes(line.as_bytes()));
}

/// Writes a report to standard error, where the user's program has standard output.
pub fn print_error(text: &str) {
    let colours = terminal::Look::of(&std::io::stderr()).colours;
    print_error_bytes(terminal::text(text, colours).as_bytes());
}

/// Passes a compiler's messages on.
pub fn print_error_bytes(bytes: &[u8]) {
    let _ = std::io::stderr().write_all(bytes);
}

/// Writes data to standard output.
///
/// # Errors
/// What the system says, a broken pipe included.
pub fn print_bytes(bytes: &[u8]) -> Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes)?;
    Ok(out.flush()?)
}

/// The file that a text goes to; none is standard output, which `-` names, too.
pub fn named_file(output: Option<&PathBuf>) -> Option<&PathBuf> {
    output.filter(|path| path.as_os_str() != "-")
}

/// Writes text to standard output.
///
/// # Errors
/// As [`print_bytes`].
pub fn print(text: &str) -> Result<()> {
    let colours = terminal::Look::of(&std::io::stdout()).colours;
    print_bytes(terminal::text(text, colours).as_bytes())
}

/// Writes JSON to standard output, exactly as it is, but with escapes for all control characters.
///
/// # Errors
/// As [`print_bytes`].
pub fn print_json(json: &str) -> Result<()> {
    print_bytes(printable_json(json).as_bytes())
}
