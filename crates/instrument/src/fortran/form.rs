//! Source form: what one physical line of Fortran is, in free and in fixed form.
//!
//! Everything above works on logical statements; only this file knows columns, sentinels and tabs.
//! The rules are gfortran's where the standard leaves a choice (tab form, `&` in column 1), because
//! a line that the compiler reads differently from us is a broken program.

use memchr::memchr;

/// Free form, or fixed form with its last significant column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Statements anywhere, continued by a trailing `&`.
    Free,
    /// Columns 1-5 label, 6 continuation, 7 to `width` statement; the rest is comment.
    Fixed {
        /// 72, 132, or `usize::MAX` for `-ffixed-line-length-none`.
        width: usize,
    },
}

impl Form {
    /// Columns that an inserted line may use.
    pub(super) fn room(self) -> usize {
        match self {
            Form::Free => 132,
            Form::Fixed { width } => width.min(72),
        }
    }

    /// True for either width of the fixed form.
    pub(super) fn is_fixed(self) -> bool {
        matches!(self, Form::Fixed { .. })
    }

    /// What stands before an inserted statement.
    pub(super) fn indent(self) -> &'static str {
        if self.is_fixed() { "      " } else { "" }
    }
}

/// Which family of directives a sentinel opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sentinel {
    /// `!$omp`, `c$omp`, `*$omp`.
    Omp,
    /// `!$pomp` and `!pomp$`: comments for every compiler, directives for us.
    Pomp,
}

/// One physical line without its line end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// First byte.
    pub start: usize,
    /// One past the last byte, before `\r\n` or `\n`.
    pub end: usize,
    /// First byte of the following line.
    pub next: usize,
}

/// What a physical line holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Blank or comment.
    Nothing,
    /// `#` in column 1.
    Cpp,
    /// Part of a directive.
    Directive {
        /// Its family.
        sentinel: Sentinel,
        /// It goes on with the directive before it (known from the line itself in fixed form only).
        continues: bool,
        /// First byte after the sentinel and the continuation column.
        body: usize,
        /// One past the last significant byte.
        end: usize,
    },
    /// Part of a statement.
    Code {
        /// Fixed form: the column before 7 is set. Free form: always false.
        continues: bool,
        /// Statement label, 0 for none (fixed form only).
        label: u32,
        /// First byte of the statement's text.
        body: usize,
        /// One past the last significant byte (fixed form cuts at its width).
        end: usize,
        /// The two columns of a `!p$` sentinel and one more: blanked in the output.
        pomp_only: bool,
        /// It is a comment without OpenMP: behind `!$` or `!p$`.
        conditional: bool,
    },
}

/// All lines of a file, found at memory speed.
pub(super) fn lines(source: &[u8]) -> Vec<Line> {
    let mut lines = Vec::with_capacity(source.len() / 32 + 1);
    let mut start = 0;
    while start < source.len() {
        let (mut end, next) = match memchr(b'\n', &source[start..]) {
            Some(at) => (start + at, start + at + 1),
            None => (source.len(), source.len()),
        };
        if end > start && source[end - 1] == b'\r' {
            end -= 1;
        }
        lines.push(Line { start, end, next });
        start = next;
    }
    lines
}

/// Classifies one physical line.
pub(super) fn content(source: &[u8], line: Line, form: Form) -> Content {
    let text = &source[line.start..line.end];
    if text.first() == Some(&b'#') {
        return Content::Cpp;
    }
    match form {
        Form::Free => free_content(text, line),
        Form::Fixed { width } => fixed_content(text, line, width),
    }
}

fn free_content(text: &[u8], line: Line) -> Content {
    let Some(first) = text.iter().position(|c| !is_blank(*c)) else { return Content::Nothing };
    let rest = &text[first..];
    let code = |skip: usize, pomp_only| Content::Code {
        continues: false,
        label: 0,
        body: line.start + first + skip,
        end: line.end,
        pomp_only,
        conditional: skip > 0,
    };
    if rest[0] != b'!' {
        return code(0, false);
    }
    if let Some((sentinel, length)) = sentinel(rest) {
        let after = rest.get(length).copied().unwrap_or(b' ');
        if is_blank(after) || after == b'&' {
            let body = line.start + first + length;
            return Content::Directive { sentinel, continues: false, body, end: line.end };
        }
    }
    match conditional(rest) {
        Some(pomp_only) => code(if pomp_only { 3 } else { 2 }, pomp_only),
        None => Content::Nothing,
    }
}

/// `!$ ` (always code for an OpenMP compiler) or `!p$ ` (code for us): Some(is the latter).
fn conditional(rest: &[u8]) -> Option<bool> {
    let blank = |at: usize| rest.get(at).is_none_or(|c| is_blank(*c) || *c == b'&');
    if rest.get(1) == Some(&b'$') && rest.len() > 2 && blank(2) {
        return Some(false);
    }
    let pomp = rest.len() > 3 && rest[1].eq_ignore_ascii_case(&b'p') && rest[2] == b'$' && blank(3);
    pomp.then_some(true)
}

/// The directive sentinel at the start of `rest` and its length.
fn sentinel(rest: &[u8]) -> Option<(Sentinel, usize)> {
    let is =
        |word: &[u8]| rest.len() > word.len() && rest[1..=word.len()].eq_ignore_ascii_case(word);
    if is(b"$omp") {
        Some((Sentinel::Omp, 5))
    } else if is(b"$pomp") || is(b"pomp$") {
        Some((Sentinel::Pomp, 6))
    } else {
        None
    }
}

fn fixed_content(text: &[u8], line: Line, width: usize) -> Content {
    // Most lines have no label and no tab.
    if let [b' ', b' ', b' ', b' ', b' ', column, statement @ ..] = text
        && *column != b'\t'
        && text.len() <= width
    {
        let columns = Columns { continues: !matches!(column, b' ' | b'0'), label: 0, body: 6 };
        let is_empty = statement.iter().all(|c| is_blank(*c));
        return if is_empty { Content::Nothing } else { code(line, columns, text.len()) };
    }
    let Some(&first) = text.first() else { return Content::Nothing };
    if matches!(first, b'!' | b'c' | b'C' | b'*' | b'd' | b'D') {
        return fixed_comment(text, line, width);
    }
    if text.iter().all(|c| is_blank(*c)) {
        return Content::Nothing;
    }
    if first == b'&' {
        return code_from(text, line, width, Columns { continues: true, label: 0, body: 1 });
    }
    match columns(text, 0) {
        Some(columns) => code_from(text, line, width, columns),
        None => Content::Nothing,
    }
}

/// A line whose column 1 marks a comment: a directive, a conditional line, or nothing.
fn fixed_comment(text: &[u8], line: Line, width: usize) -> Content {
    if text[0].eq_ignore_ascii_case(&b'd') {
        return Content::Nothing;
    }
    if let Some((sentinel, length)) = sentinel(text) {
        let column = text.get(length).copied().unwrap_or(b' ');
        let continues = sentinel == Sentinel::Omp && !(is_blank(column) || column == b'0');
        let initial_blank = usize::from(length < text.len() && sentinel == Sentinel::Omp);
        let body = line.start + length + initial_blank;
        let end = (line.start + cut(text, width)).max(body);
        return Content::Directive { sentinel, continues, body, end };
    }
    let pomp_only = text.len() > 2 && text[1].eq_ignore_ascii_case(&b'p') && text[2] == b'$';
    let skip = if pomp_only { 3 } else { 2 };
    if !pomp_only && text.get(1) != Some(&b'$') {
        return Content::Nothing;
    }
    match columns(text, skip) {
        Some(columns) => match code_from(text, line, width, columns) {
            Content::Code { continues, label, body, end, .. } => {
                Content::Code { continues, label, body, end, pomp_only, conditional: true }
            }
            other => other,
        },
        None => Content::Nothing,
    }
}

/// The first six columns of a fixed form statement line.
struct Columns {
    continues: bool,
    label: u32,
    body: usize,
}

/// Reads label and continuation column; None if columns 1-5 hold anything but digits and blanks.
fn columns(text: &[u8], skip: usize) -> Option<Columns> {
    let mut label = 0u32;
    for (at, &c) in text.iter().enumerate().skip(skip) {
        match c {
            b'\t' => {
                let continues = matches!(text.get(at + 1), Some(b'1'..=b'9'));
                return Some(Columns { continues, label, body: at + 1 + usize::from(continues) });
            }
            _ if at == 5 => {
                let continues = c != b' ' && c != b'0';
                return Some(Columns { continues, label, body: 6 });
            }
            b' ' => {}
            b'0'..=b'9' => label = label.saturating_mul(10).saturating_add(u32::from(c - b'0')),
            // A comment that starts in columns 2 to 5.
            b'!' => return None,
            _ => return (skip == 0).then_some(Columns { continues: false, label, body: at }),
        }
    }
    None
}

fn code_from(text: &[u8], line: Line, width: usize, columns: Columns) -> Content {
    let end = cut(text, width);
    if columns.body > end || text[columns.body.min(end)..end].iter().all(|c| is_blank(*c)) {
        return Content::Nothing;
    }
    code(line, columns, end)
}

fn code(line: Line, columns: Columns, end: usize) -> Content {
    Content::Code {
        continues: columns.continues,
        label: columns.label,
        body: line.start + columns.body,
        end: line.start + end,
        pomp_only: false,
        conditional: false,
    }
}

/// Bytes of `text` that lie within `width` columns; a tab among the first six jumps to column 7.
pub(super) fn cut(text: &[u8], width: usize) -> usize {
    if !text[..text.len().min(6)].contains(&b'\t') {
        return text.len().min(width);
    }
    let mut column = 0;
    for (at, &c) in text.iter().enumerate() {
        column = if c == b'\t' && column < 6 { 6 } else { column + 1 };
        if column > width {
            return at;
        }
    }
    text.len()
}

/// A letter, digit or underscore.
pub(super) fn is_name(c: u8) -> bool {
    NAME[usize::from(c)]
}

/// The answers of [`is_name`]: it is asked for nearly every byte.
const NAME: [bool; 256] = {
    let mut name = [false; 256];
    let mut c = 0;
    while c < name.len() {
        name[c] = (c as u8).is_ascii_alphanumeric() || c as u8 == b'_';
        c += 1;
    }
    name
};

/// Blank or tab.
pub(super) fn is_blank(c: u8) -> bool {
    c == b' ' || c == b'\t'
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use std::fmt::Write;

    fn check(form: Form, source: &str, expect: Expect) {
        let mut out = String::new();
        for line in lines(source.as_bytes()) {
            let text = match content(source.as_bytes(), line, form) {
                Content::Nothing => "nothing".to_owned(),
                Content::Cpp => "cpp".to_owned(),
                Content::Directive { sentinel, continues, body, end } => {
                    format!("{sentinel:?}{} [{}]", mark(continues), &source[body..end])
                }
                Content::Code { continues, label, body, end, pomp_only, .. } => {
                    let kind = if pomp_only { "pomp code" } else { "code" };
                    format!("{kind}{} {label} [{}]", mark(continues), &source[body..end])
                }
            };
            writeln!(out, "{text}").unwrap();
        }
        expect.assert_eq(&out);
    }

    fn mark(continues: bool) -> &'static str {
        if continues { " +" } else { "" }
    }

    #[test]
    fn free_form_lines() {
        check(
            Form::Free,
            "  x = 1 ! c\n\n ! comment\n#if A\n  !$OMP parallel\n!$omp& if(x)\n!$ompx y\n!$ y=2\n!$acc z\n!p$ call q\n!$pomp inst on\n!POMP$ INST OFF\n",
            expect![[r#"
                code 0 [x = 1 ! c]
                nothing
                nothing
                cpp
                Omp [ parallel]
                Omp [& if(x)]
                nothing
                code 0 [ y=2]
                nothing
                pomp code 0 [ call q]
                Pomp [ inst on]
                Pomp [ INST OFF]
            "#]],
        );
    }

    #[test]
    fn fixed_form_lines() {
        check(
            Form::Fixed { width: 20 },
            "      x = 1\n  100 continue\nc comment\nC$OMP PARALLEL\n*$OMP+ IF(x)\n!$omp\tdo\n\tdo i=1,2\n\t1 + 3\n     & + 4\n& + 5\n!$ 10 y=2\n!$   &+3\nc$doacross\nD debug\n     0z=1\n      abcdefghijklmnopq\n  !$omp do\n",
            expect![[r#"
                code 0 [x = 1]
                code 100 [continue]
                nothing
                Omp [PARALLEL]
                Omp + [ IF(x)]
                Omp [do]
                code 0 [do i=1,2]
                code + 0 [ + 3]
                code + 0 [ + 4]
                code + 0 [ + 5]
                code 10 [y=2]
                code + 0 [+3]
                nothing
                nothing
                code 0 [z=1]
                code 0 [abcdefghijklmn]
                nothing
            "#]],
        );
    }

    #[test]
    fn line_ends() {
        check(
            Form::Free,
            "a\r\nb",
            expect![[r#"
                code 0 [a]
                code 0 [b]
            "#]],
        );
    }
}
