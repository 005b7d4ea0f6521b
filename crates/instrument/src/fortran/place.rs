//! Where a statement is for the user: line markers of an earlier preprocessor run (`# 12 "x.h"`)
//! change line and file of everything behind them.

use super::form::Line;
use crate::decimal::push_decimal;
use std::collections::HashMap;

/// The user's coordinates of each physical line.
#[derive(Default)]
pub(super) struct Places {
    /// Path of the text, then the files of its markers.
    files: Vec<String>,
    /// How the markers of each of them end: a blank, the quoted path and a line break.
    endings: Vec<String>,
    /// Their indices.
    known: HashMap<String, usize>,
    /// In order of `from`.
    shifts: Vec<Shift>,
    /// How a marker begins, with a blank. The compiler proper knows `# 12` only; the preprocessor,
    /// which gets the files with a capital suffix, calls that an extension.
    word: &'static str,
}

struct Shift {
    /// First physical line (index) it applies to.
    from: usize,
    /// Line number of that line.
    line: u32,
    file: usize,
}

impl Shift {
    fn line_of(&self, at: usize) -> u32 {
        self.line.saturating_add((at - self.from) as u32)
    }
}

impl Places {
    /// Reads the markers, which are among the lines with the indices `cpp`.
    pub fn new(source: &[u8], lines: &[Line], cpp: &[usize], path: &str) -> Places {
        let word = if is_preprocessed(path) { "#line " } else { "# " };
        let mut places = Places { word, ..Places::default() };
        places.file(path);
        places.shifts.push(Shift { from: 0, line: 1, file: 0 });
        for &at in cpp {
            places.marker(&source[lines[at].start..lines[at].end], at);
        }
        places
    }

    fn marker(&mut self, text: &[u8], at: usize) -> Option<()> {
        let text = std::str::from_utf8(text).ok()?[1..].trim_start();
        let text = text.strip_prefix("line").unwrap_or(text).trim_start();
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let line = text[..digits].parse().ok()?;
        let rest = text[digits..].trim_start();
        let current = self.shifts.last().map_or(0, |shift| shift.file);
        let file = match rest.strip_prefix('"').and_then(|rest| rest.split_once('"')) {
            Some((name, _)) => self.file(name),
            None => current,
        };
        self.shifts.push(Shift { from: at + 1, line, file });
        Some(())
    }

    fn file(&mut self, name: &str) -> usize {
        if let Some(&file) = self.known.get(name) {
            return file;
        }
        let quoted = name.replace('\\', "\\\\").replace('"', "\\\"");
        self.endings.push(format!(" \"{quoted}\"\n"));
        self.files.push(name.to_owned());
        self.known.insert(name.to_owned(), self.files.len() - 1);
        self.files.len() - 1
    }

    fn shift(&self, at: usize) -> &Shift {
        &self.shifts[self.shifts.partition_point(|shift| shift.from <= at) - 1]
    }

    /// The 1-based line number of the physical line with this index.
    pub fn line(&self, at: usize) -> u32 {
        self.shift(at).line_of(at)
    }

    /// The file of a physical line, if a marker says another one than the text's path.
    pub fn other_file(&self, at: usize) -> Option<&str> {
        let file = self.shift(at).file;
        (file != 0).then(|| self.files[file].as_str())
    }

    /// Writes the line marker that gives a physical line its place back.
    pub fn push_marker(&self, out: &mut Vec<u8>, at: usize) {
        let shift = self.shift(at);
        out.extend_from_slice(self.word.as_bytes());
        push_decimal(out, shift.line_of(at));
        out.extend_from_slice(self.endings[shift.file].as_bytes());
    }

    /// The line marker that gives a physical line its place back.
    pub fn marker_for(&self, at: usize) -> String {
        let mut marker = Vec::new();
        self.push_marker(&mut marker, at);
        String::from_utf8_lossy(&marker).into_owned()
    }

    /// The marker for lines that are nobody's. It enters a file: without that, gfortran takes the
    /// name for one of all lines above, and says it in messages at run time.
    /// A file that goes through the preprocessor first cannot enter one: its lines go on.
    pub fn marker_of_ours(&self) -> &'static str {
        if self.word == "# " { "# 1 \"<pompeii>\" 1\n" } else { "" }
    }
}

/// Whether gfortran gives a file with this suffix to the preprocessor.
fn is_preprocessed(path: &str) -> bool {
    let suffix = path.rsplit('.').next().unwrap_or_default();
    suffix.starts_with('F') || suffix.eq_ignore_ascii_case("fpp")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fortran::form::lines;
    use expect_test::expect;

    #[test]
    fn markers_shift_lines_and_files() {
        let source = b"a\n# 7 \"b.h\" 1\nb\nc\n# 3 \"x.f90\" 2\nd\n#line 9\ne\n";
        let lines = lines(source);
        let places = Places::new(source, &lines, &[1, 4, 6], "x.f90");
        let all: String = (0..lines.len()).map(|at| places.marker_for(at)).collect();
        expect![[r##"
            # 1 "x.f90"
            # 2 "x.f90"
            # 7 "b.h"
            # 8 "b.h"
            # 9 "b.h"
            # 3 "x.f90"
            # 4 "x.f90"
            # 9 "x.f90"
        "##]]
        .assert_eq(&all);
        assert_eq!(places.other_file(2), Some("b.h"));
        assert_eq!(places.other_file(5), None);
    }
}
