//! What can go wrong, and what is only worth a word. Both name the place in the user's lines.

use std::fmt;

/// A source that cannot be instrumented: what, where, what was expected and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// 1-based line.
    pub line: u32,
    /// 1-based column in bytes.
    pub column: u32,
    /// The text of that line.
    pub source_line: String,
    /// What is wrong.
    pub message: String,
    /// What was expected instead, and what can be done.
    pub expected: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "line {}, column {}: {}", self.line, self.column, self.message)?;
        writeln!(f, "    {}", self.source_line)?;
        write!(f, "expected: {}", self.expected)
    }
}

impl std::error::Error for Error {}

/// How much a [`Diagnostic`] matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing: a construct was left alone because events are not possible there.
    Note,
    /// A construct was left alone that one would expect to be measured.
    Warning,
    /// The same, because only the preprocessed text shows it.
    Hidden,
}

/// One remark about a text that was instrumented.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// How much it matters.
    pub severity: Severity,
    /// 1-based line.
    pub line: u32,
    /// A sentence.
    pub message: String,
}
