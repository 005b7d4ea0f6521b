//! What may reach a terminal. Names in reports, traces, paths and arguments are foreign text: a
//! terminal would obey the control characters in them. So foreign text is escaped where it enters a
//! line ([`shown`], [`make_printable`]), and [`text`] and [`message`] let no control character pass
//! that an entry has missed. A pipe gets the same text.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use pompeii_finish::quoted;
use pompeii_otf2::print::{printable, printable_bytes, printable_json};
use pompeii_report::Options;

/// How text looks where it goes: plain and 80 columns wide in a pipe, where names are never cut;
/// with bars, colours and the terminal's width on a terminal.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    terminal: bool,
    /// Whether colours are wanted: not in a pipe, and not with `NO_COLOR` or `TERM=dumb`.
    pub colours: bool,
    /// Columns of a line.
    pub columns: usize,
}

/// What a line has in a pipe, and where a terminal does not know its size.
const COLUMNS: usize = 80;
/// Narrower lines would be unreadable, wider ones too.
const COLUMNS_RANGE: (usize, usize) = (60, 200);

impl Look {
    /// Of what goes to `out`.
    pub fn of(out: &(impl IsTerminal + AsFd)) -> Self {
        let terminal = out.is_terminal();
        let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|name| name == "dumb");
        let colours = terminal && !dumb && !is_set("NO_COLOR");
        Self { terminal, colours, columns: if terminal { columns(out) } else { COLUMNS } }
    }

    /// The same for a report, with so many findings.
    pub fn report(self, top: usize) -> Options {
        Options {
            width: self.columns,
            whole_names: !self.terminal,
            color: self.colours,
            bars: self.terminal,
            top,
        }
    }
}

/// Columns of a terminal: what `COLUMNS` says, since that can be set for one command, else what the
/// terminal says.
fn columns(out: &impl AsFd) -> usize {
    let named = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    let own = || terminal_size::terminal_size_of(out).map(|(width, _)| usize::from(width.0));
    let known = named.or_else(own).filter(|&columns| columns > 0);
    known.unwrap_or(COLUMNS).clamp(COLUMNS_RANGE.0, COLUMNS_RANGE.1)
}

/// A path, an argument or a name in a line: on one line, without control characters, and with the
/// bytes that are not UTF-8 as `\xff`.
pub fn shown(text: &(impl AsRef<OsStr> + ?Sized)) -> Cow<'_, str> {
    printable_bytes(text.as_ref().as_bytes())
}

/// The same in place, for the definitions of a report that is about to become text.
pub fn make_printable(text: &mut String) {
    if let Cow::Owned(shown) = printable(text) {
        *text = shown;
    }
}

/// A folder as the user may type it: relative where it is below the current folder, and quoted.
pub fn shown_name(folder: &Path) -> String {
    let current = std::env::current_dir().unwrap_or_default();
    quoted(folder.strip_prefix(&current).unwrap_or(folder))
}

/// What could not be done, with its place: `cannot write out/a.c`.
pub fn cannot(what: &str, path: &Path) -> String {
    format!("cannot {what} {}", shown(path))
}

/// Lines without control characters; with `colours`, the codes that reports write stay.
pub fn text(text: &str, colours: bool) -> Cow<'_, str> {
    let is_plain = |byte: u8| (b' '..=b'~').contains(&byte) || byte == b'\n';
    if text.bytes().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let parts = text.split_inclusive('\n').map(|line| {
        let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        let line = if colours { coloured(line) } else { printable(line) };
        line + end
    });
    Cow::Owned(parts.collect())
}

/// A line without control characters but the colour codes of reports.
fn coloured(line: &str) -> Cow<'_, str> {
    let mut parts = line.split(ESCAPE);
    let mut shown = printable(parts.next().unwrap_or_default()).into_owned();
    for part in parts {
        let code = CODES.iter().find(|code| part.starts_with(**code)).copied();
        shown += if code.is_some() { "\x1b" } else { r"\x1b" };
        shown += &printable(part);
    }
    Cow::Owned(shown)
}

const ESCAPE: char = '\x1b';
/// What [`pompeii_report`] puts after an escape character.
const CODES: [&str; 6] = ["[0m", "[1m", "[2m", "[31m", "[32m", "[36m"];

/// A message. Its further lines begin with a blank: any other end of a line is foreign, and must
/// not make a line that looks like a message of its own.
pub fn message(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for (number, line) in text.split('\n').enumerate() {
        shown += match number {
            0 => "",
            _ if line.is_empty() || line.starts_with(' ') => "\n",
            _ => r"\n",
        };
        shown += &printable(line);
    }
    shown
}

/// Whole lines on their way out, each write one or several of them, without control characters.
pub struct Lines<W> {
    /// Whether they are JSON, which stays exact.
    pub json: bool,
    /// Where they go.
    pub out: W,
}

impl<W: Write> Write for Lines<W> {
    fn write(&mut self, lines: &[u8]) -> io::Result<usize> {
        let checked = match std::str::from_utf8(lines) {
            Ok(lines) if self.json => printable_json(lines),
            Ok(lines) => text(lines, false),
            Err(_) => printable_bytes(lines),
        };
        self.out.write_all(checked.as_bytes())?;
        Ok(lines.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Further lines of a message, each with two blanks before it.
pub fn indented(text: &str) -> String {
    text.lines().map(|line| format!("\n  {line}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stay_and_the_rest_is_escaped() {
        assert!(matches!(text("a\n b\n", false), Cow::Borrowed(_)));
        assert_eq!(text("ä\x1b[31mb\x07\n\n\tc", false), "ä\\x1b[31mb\\x07\n\n\\tc");
        assert_eq!(text("\x1b[31mb\x1b[0m ü\n", true), "\x1b[31mb\x1b[0m ü\n");
        assert_eq!(text("\x1b[5m\x1b]0;a\x07\n", true), "\\x1b[5m\\x1b]0;a\\x07\n");
    }

    #[test]
    fn a_message_has_one_first_line() {
        assert_eq!(message("a\npompeii: error: b\n  c"), "a\\npompeii: error: b\n  c");
        assert_eq!(message("a\x1b[2J\r"), r"a\x1b[2J\r");
        assert_eq!(message(&format!("a:{}", indented("b\nc"))), "a:\n  b\n  c");
    }

    #[test]
    fn paths_are_shown_byte_for_byte() {
        assert_eq!(shown(OsStr::from_bytes(b"a\xff\n")), r"a\xff\n");
        assert_eq!(shown("a b"), "a b");
    }
}
