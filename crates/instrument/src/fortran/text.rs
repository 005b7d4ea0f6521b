//! Inserted lines: calls, directives and declarations that fit the source form and its columns.

use super::form::Form;
use super::scan::DirectiveText;
use crate::hash::hash_of;
use crate::{Abi, free_prefix};
use std::collections::BTreeMap;
use std::ops::Range;

/// An argument behind the number of the region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extra {
    /// The number of a team or task, which the routine sets.
    Out,
    /// The same, or another number, which the routine is told.
    In,
    /// No variable of the user.
    Nothing,
    /// A variable of the user, of any type: its address.
    Any,
}

/// One of the external procedures that the text calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Routine {
    /// `POMP_Do_enter`.
    pub c_name: String,
    /// Its arguments behind the descriptor; `None`: it gets no descriptor either.
    pub extras: Option<&'static [Extra]>,
}

/// A routine of OpenMP for locks that is called under another name.
#[derive(Debug)]
pub(super) struct LockRoutine {
    /// What comes behind `omp_`.
    pub name: &'static str,
    /// The type of its result; empty for a subroutine.
    pub result: &'static str,
    /// It takes a hint, too.
    pub hint: bool,
}

impl LockRoutine {
    /// What kind of procedure it is.
    pub fn kind(&self) -> &'static str {
        if self.result.is_empty() { "subroutine" } else { "function" }
    }

    /// Whether it is about a nest lock.
    pub fn is_nested(&self) -> bool {
        self.name.contains("_nest_")
    }

    /// Whether it makes the lock.
    pub fn begins(&self) -> bool {
        self.name.starts_with("init")
    }

    /// Whether the lock is gone behind it.
    pub fn ends(&self) -> bool {
        self.name.starts_with("destroy")
    }

    /// Its first statement, under another name.
    pub fn head(&self, name: &str, lock: &str, hint: &str) -> String {
        let hint = if self.hint { format!(",{hint}") } else { String::new() };
        let head = format!("{} {} {name}({lock}{hint})", self.result, self.kind());
        head.trim_start().to_owned()
    }
}

/// All names that are inserted, and which of the procedures are used.
#[derive(Debug)]
pub(super) struct Names {
    /// The interface that the procedures call.
    pub abi: Abi,
    /// Free in the text: `pomp_`.
    prefix: String,
    /// Makes external names unique in the program.
    hash: String,
    /// By name in Fortran.
    pub used: BTreeMap<String, Routine>,
    /// The same for lock routines.
    pub locks: BTreeMap<String, &'static LockRoutine>,
}

impl Names {
    /// Names for a text: unique by its path and its content, since one file may be compiled into
    /// several programs and one path may mean different files.
    pub fn new(source: &[u8], path: &str, abi: Abi) -> Names {
        let hash = hash_of(path.as_bytes()).rotate_left(1) ^ hash_of(source);
        let hash = (hash >> 32) as u32 ^ hash as u32;
        let (prefix, hash) = (free_prefix(source), format!("{hash:08x}"));
        Names { abi, prefix, hash, used: BTreeMap::new(), locks: BTreeMap::new() }
    }

    /// The name of a procedure or common block of this text.
    pub fn global(&self, what: &str) -> String {
        format!("{}{}_{what}", self.prefix, self.hash)
    }

    /// The name of a local variable: `pomp_t7`.
    pub fn local(&self, kind: char, number: u32) -> String {
        let mut name = String::with_capacity(self.prefix.len() + 12);
        name.push_str(&self.prefix);
        name.push(kind);
        name.push_str(&number.to_string());
        name
    }

    /// The name of the procedure that stands for a lock routine.
    pub fn lock(&mut self, routine: &'static LockRoutine) -> String {
        let name = self.global(routine.name);
        self.locks.insert(name.clone(), routine);
        name
    }

    /// The prefix of names in the appended units.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The name of the procedure for an event: `Do`, `enter`. Without one or the other: `Cancel`,
    /// `Begin`.
    pub fn routine(&mut self, event: (&str, &str), extras: Option<&'static [Extra]>) -> String {
        let mut name = String::new();
        self.push_routine(&mut name, event, extras);
        name
    }

    /// The same, written behind a text.
    pub fn push_routine(
        &mut self,
        out: &mut String,
        event: (&str, &str),
        extras: Option<&'static [Extra]>,
    ) {
        let start = out.len();
        out.push_str(&self.prefix);
        out.push_str(&self.hash);
        for part in parts(event) {
            out.push('_');
            out.push_str(part);
        }
        if extras.is_some_and(|extras| extras.contains(&Extra::Any)) {
            out.push_str("_v");
        }
        out[start..].make_ascii_lowercase();
        if !self.used.contains_key(&out[start..]) {
            let routine = self.new_routine(event, extras);
            self.used.insert(out[start..].to_owned(), routine);
        }
    }

    fn new_routine(&self, event: (&str, &str), extras: Option<&'static [Extra]>) -> Routine {
        let what = parts(event).collect::<Vec<_>>().join("_");
        match self.abi {
            Abi::Pomp => Routine { c_name: format!("POMP_{what}"), extras },
            // C has no other routine for the same. The variable of a user region is none of
            // POMP2's arguments.
            Abi::Pomp2 => Routine {
                c_name: format!("POMP2_{}", what.replace("Do_", "For_")),
                extras: if extras == Some(&[Extra::Nothing]) { Some(&[]) } else { extras },
            },
        }
    }
}

fn parts<'a>(event: (&'a str, &'a str)) -> impl Iterator<Item = &'a str> {
    [event.0, event.1].into_iter().filter(|part| !part.is_empty())
}

/// Columns of inserted statements.
pub(super) const SHORT: usize = 72;

/// Collects inserted lines.
#[derive(Debug, Clone, Copy)]
pub(super) struct Writer {
    /// The source form.
    pub form: Form,
    /// Columns that a line may use.
    pub room: usize,
}

impl Writer {
    /// A statement on a line of its own.
    pub fn statement(self, out: &mut Vec<u8>, text: &str) {
        let (mut head, next) = match self.form.is_fixed() {
            true => (self.form.indent(), "     &"),
            false => (self.form.indent(), "&"),
        };
        let mut rest = text.as_bytes();
        // Short lines, whatever the user's limit: nobody's `-ffree-line-length` is smaller.
        while head.len() + rest.len() > SHORT {
            let line = [head.as_bytes(), &rest[..SHORT - head.len()]].concat();
            let at = break_point(&line, SHORT - 1);
            out.extend_from_slice(&line[..at]);
            out.extend_from_slice(if self.form.is_fixed() { b"\n" } else { b"&\n" });
            rest = &rest[at - head.len()..];
            head = next;
        }
        out.extend_from_slice(head.as_bytes());
        out.extend_from_slice(rest);
        out.push(b'\n');
    }

    /// A statement with a label.
    pub fn labelled(self, out: &mut Vec<u8>, label: u32, text: &str) {
        let line = match self.form.is_fixed() {
            true => format!("{label:<6}{text}\n"),
            false => format!("{label} {text}\n"),
        };
        out.extend_from_slice(line.as_bytes());
    }

    /// A directive: words, then each clause (as the pieces that it had on the user's lines) on a
    /// line of its own. No piece begins further right than it was, so that none can overflow.
    pub fn directive(self, out: &mut Vec<u8>, words: &str, clauses: &[Vec<String>]) {
        out.extend_from_slice(b"!$omp ");
        out.extend_from_slice(words.as_bytes());
        for clause in clauses {
            for (index, piece) in clause.iter().enumerate() {
                // Free form: a blank in front of `&` ends the word before it.
                let blank = if index == 0 && !self.form.is_fixed() { " " } else { "" };
                out.extend_from_slice(blank.as_bytes());
                self.continue_directive(out);
                self.piece(out, piece);
            }
        }
        out.push(b'\n');
    }

    fn continue_directive(self, out: &mut Vec<u8>) {
        out.extend_from_slice(if self.form.is_fixed() { b"\n!$omp&" } else { b"&\n!$omp&" });
    }

    fn piece(self, out: &mut Vec<u8>, piece: &str) {
        const SENTINEL: usize = 6;
        let mut rest = piece.as_bytes();
        while SENTINEL + rest.len() + 2 > self.room {
            let at = break_point(rest, self.room - SENTINEL - 2);
            out.extend_from_slice(&rest[..at]);
            self.continue_directive(out);
            rest = &rest[at..];
        }
        out.extend_from_slice(rest);
    }
}

/// Where to break a line: behind the last comma or blank that is not in a string.
fn break_point(text: &[u8], limit: usize) -> usize {
    let mut best = limit;
    let mut quote = None;
    for (at, &c) in text[..limit].iter().enumerate() {
        match (quote, c) {
            (Some(open), _) if open == c => quote = None,
            (None, b'\'' | b'"') => quote = Some(c),
            // Not in the blanks in front of a statement.
            (None, b',' | b' ') if at > 8 => best = at + 1,
            _ => {}
        }
    }
    best
}

/// The text of a clause, cut where the user's lines end.
pub(super) fn pieces(directive: &DirectiveText, span: Range<usize>) -> Vec<String> {
    let joined = |index: &usize| directive.at[*index] == directive.at[index - 1] + 1;
    let cuts = (span.start + 1..span.end).filter(|index| !joined(index));
    let mut start = span.start;
    let mut pieces = Vec::new();
    for end in cuts.chain([span.end]) {
        pieces.push(String::from_utf8_lossy(&directive.text[start..end]).into_owned());
        start = end;
    }
    pieces
}
