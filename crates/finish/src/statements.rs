//! Where a statement of Fortran begins. The debug information of gfortran has the last line of a
//! statement that is continued over several lines, but the name of the called function, which a
//! reader looks for, stands in the first one. The source, if it is still there, tells that line.

use std::collections::HashMap;
use std::fs;
use std::io::Read;
use std::path::Path;

/// A file with more bytes is not read: it is hardly source.
const MOST_BYTES: u64 = 16 << 20;
/// Fortran 2023 allows no longer statements than a million characters; this is far beyond usual.
const MOST_LINES: u32 = 1000;

/// Sources that have been read.
#[derive(Default)]
pub struct Sources(HashMap<String, Vec<String>>);

/// The two forms of Fortran.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// A line that ends with `&` goes on.
    Free,
    /// A line with a mark in column 6 continues the one before.
    Fixed,
}

impl Sources {
    /// The first line of the statement to which this line belongs; the same line where the file is
    /// no Fortran or cannot be read.
    pub fn first_line(&mut self, file: &str, line: u32) -> u32 {
        let Some(form) = form(file) else { return line };
        let lines = self.0.entry(file.to_owned()).or_insert_with(|| read(Path::new(file)));
        first_line(lines, form, line)
    }
}

fn form(file: &str) -> Option<Form> {
    let extension = Path::new(file).extension()?.to_str()?.to_ascii_lowercase();
    match extension.as_str() {
        "f90" | "f95" | "f03" | "f08" | "f18" => Some(Form::Free),
        "f" | "for" | "ftn" | "fpp" => Some(Form::Fixed),
        _ => None,
    }
}

/// The lines of a regular file; none if it cannot be read.
fn read(path: &Path) -> Vec<String> {
    let is_source = path.metadata().is_ok_and(|of| of.is_file() && of.len() <= MOST_BYTES);
    let mut bytes = Vec::new();
    if is_source && let Ok(file) = fs::File::open(path) {
        // A part of a file has no other lines.
        let _ = file.take(MOST_BYTES).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect()
}

fn first_line(lines: &[String], form: Form, line: u32) -> u32 {
    let text = |line: u32| lines.get(line.checked_sub(1)? as usize).map(String::as_str);
    let continues = |line: u32| match form {
        Form::Free => {
            // Comments and empty lines may stand between the lines of a statement.
            let mut before = (1..line).rev().filter_map(text).filter(|text| !is_blank(text));
            before.next().is_some_and(|text| without_comment(text).ends_with('&'))
        }
        Form::Fixed => text(line).is_some_and(is_fixed_continuation),
    };
    let least = line.saturating_sub(MOST_LINES);
    let mut at = line;
    while at > 1 && at > least && continues(at) {
        at -= 1;
        while at > 1 && text(at).is_some_and(is_blank) {
            at -= 1;
        }
    }
    at
}

/// Nothing, or only a comment.
fn is_blank(text: &str) -> bool {
    let text = text.trim_start();
    text.is_empty() || text.starts_with('!')
}

/// The line without a comment at its end. A `!` in a character string begins none.
fn without_comment(text: &str) -> &str {
    let mut quote = None;
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (None, '!') => return text[..at].trim_end(),
            (None, '\'' | '"') => quote = Some(letter),
            (Some(open), _) if open == letter => quote = None,
            _ => {}
        }
    }
    text.trim_end()
}

fn is_fixed_continuation(text: &str) -> bool {
    let starts_blank = text.len() > 5 && text.bytes().take(5).all(|byte| byte == b' ');
    let mark = text.as_bytes().get(5);
    let after_tab = text.strip_prefix('\t').and_then(|rest| rest.bytes().next());
    (starts_blank && mark.is_some_and(|mark| !b" 0".contains(mark)))
        || after_tab.is_some_and(|digit| (b'1'..=b'9').contains(&digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(form: Form, text: &str, lines: &[u32]) {
        let text: Vec<String> = text.lines().map(str::to_owned).collect();
        let found: Vec<u32> =
            (1..=text.len() as u32 + 1).map(|at| first_line(&text, form, at)).collect();
        assert_eq!(found, lines);
    }

    #[test]
    fn continued_lines_belong_to_the_first_one() {
        check(
            Form::Free,
            "call one(a, & ! <-- here\n  ! between\n\n  & b, &\n  c)\n\
             call two('!', \"&\")\ncall three()",
            &[1, 1, 1, 1, 1, 6, 7, 8],
        );
    }

    #[test]
    fn fixed_form_marks_the_line_that_continues() {
        check(
            Form::Fixed,
            "      call one(a,\n     & b,\n     1 c)\n      call two()\n\tcall three(\n\t1 a)",
            &[1, 1, 1, 4, 5, 5, 7],
        );
    }

    #[test]
    fn other_languages_and_missing_files_keep_their_line() {
        let mut sources = Sources::default();
        assert_eq!(sources.first_line("halo.c", 12), 12);
        assert_eq!(sources.first_line("/nowhere/halo.f90", 12), 12);
        assert_eq!(sources.first_line("", 0), 0);
    }
}
