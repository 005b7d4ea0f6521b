//! Inserted lines: calls, directives and declarations that fit the source form and its columns.

use super::directive_text::DirectiveText;
use super::form::Form;
use crate::decimal::push_decimal;
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
    /// The kind of an item of a `depend` clause, and its address.
    Item,
    /// A list of how many loops there are, and of first value, last value and step of each; C gets
    /// the number of their iterations.
    Bounds,
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

/// An event by the parts of its routine's name: `Do`, `enter`. One of them may be empty: `Cancel`,
/// `Begin`.
pub(super) type Event = (&'static str, &'static str);

/// All names that are inserted, and which of the procedures are used.
#[derive(Debug)]
pub(super) struct Names {
    /// The interface that the procedures call.
    pub abi: Abi,
    /// Free in the text: `pomp_`.
    prefix: String,
    /// Makes external names unique in the program.
    hash: String,
    /// The procedures for events: few, and each is called in many places.
    used: Vec<Used>,
    /// Where the next one is looked for first: most constructs call the same ones in the same
    /// order.
    next: usize,
    /// Those for lock routines by name in Fortran.
    pub locks: BTreeMap<String, &'static LockRoutine>,
    /// Those that PURE procedures call, each with the one that it calls.
    pub pure: BTreeMap<String, String>,
}

/// A procedure for an event.
#[derive(Debug)]
struct Used {
    event: Event,
    /// Whether it gets a variable of the user.
    any: bool,
    /// The beginning of its calls: `call NAME(`.
    call: String,
    routine: Routine,
}

impl Used {
    fn name(&self) -> &str {
        &self.call["call ".len()..self.call.len() - 1]
    }
}

impl Names {
    /// Names for a text: unique by its path and its content, since one file may be compiled into
    /// several programs and one path may mean different files.
    pub fn new(source: &[u8], path: &str, abi: Abi) -> Names {
        let hash = hash_of(path.as_bytes()).rotate_left(1) ^ hash_of(source);
        let hash = (hash >> 32) as u32 ^ hash as u32;
        let (prefix, hash) = (free_prefix(source), format!("{hash:08x}"));
        let (locks, pure) = (BTreeMap::new(), BTreeMap::new());
        Names { abi, prefix, hash, used: Vec::new(), next: 0, locks, pure }
    }

    /// Whether no procedure is used.
    pub fn is_empty(&self) -> bool {
        self.used.is_empty() && self.locks.is_empty()
    }

    /// The procedures for events by name.
    pub fn used(&self) -> BTreeMap<&str, &Routine> {
        self.used.iter().map(|used| (used.name(), &used.routine)).collect()
    }

    /// The name of a procedure or common block of this text.
    pub fn global(&self, what: &str) -> String {
        format!("{}{}_{what}", self.prefix, self.hash)
    }

    /// The name of a local variable: `pomp_t7`.
    pub fn local(&self, kind: char, number: u32) -> String {
        format!("{}{kind}{number}", self.prefix)
    }

    /// The same, written behind a text.
    pub fn push_local(&self, out: &mut Vec<u8>, kind: char, number: u32) {
        out.extend_from_slice(self.prefix.as_bytes());
        out.push(kind as u8);
        push_decimal(out, number);
    }

    /// The name of the procedure that stands for a lock routine.
    pub fn lock(&mut self, routine: &'static LockRoutine) -> String {
        let name = self.global(routine.name);
        self.locks.insert(name.clone(), routine);
        name
    }

    /// The name of the procedure that PURE procedures call in place of another one.
    pub fn pure(&mut self, what: &str, routine: &str) -> String {
        let mut name = self.global(&format!("pure_{what}"));
        name.make_ascii_lowercase();
        self.pure.insert(name.clone(), routine.to_owned());
        name
    }

    /// The prefix of names in the appended units.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The name of the procedure for an event.
    pub fn routine(&mut self, event: Event, extras: Option<&'static [Extra]>) -> &str {
        let at = self.place(event, extras);
        self.used[at].name()
    }

    /// The beginning of a call of it: `call NAME(`.
    pub fn call(&mut self, event: Event, extras: &'static [Extra]) -> &str {
        let at = self.place(event, Some(extras));
        &self.used[at].call
    }

    fn place(&mut self, event: Event, extras: Option<&'static [Extra]>) -> usize {
        let any = extras.is_some_and(|extras| extras.contains(&Extra::Any));
        // The second parts differ more often than the first.
        let is = |used: &Used| used.event.1 == event.1 && used.event.0 == event.0;
        let count = self.used.len();
        let mut places = (self.next..count).chain(0..self.next);
        let known = places.find(|&at| is(&self.used[at]) && self.used[at].any == any);
        let at = known.unwrap_or_else(|| {
            self.used.push(self.new_routine(event, any, extras));
            count
        });
        self.next = at + 1;
        at
    }

    fn new_routine(&self, event: Event, any: bool, extras: Option<&'static [Extra]>) -> Used {
        let parts = [event.0, event.1].into_iter().filter(|part| !part.is_empty());
        let what = parts.collect::<Vec<_>>().join("_");
        let mut name = self.global(&what);
        if any {
            name.push_str("_v");
        }
        name.make_ascii_lowercase();
        let routine = match self.abi {
            Abi::Pomp => Routine { c_name: format!("POMP_{what}"), extras },
            // C has no other routine for the same. The variable of a user region is none of
            // POMP2's arguments.
            Abi::Pomp2 => Routine {
                c_name: format!("POMP2_{}", what.replace("Do_", "For_")),
                extras: if extras == Some(&[Extra::Nothing]) { Some(&[]) } else { extras },
            },
        };
        Used { event, any, call: ["call ", &name, "("].concat(), routine }
    }
}

/// Columns of inserted statements.
const SHORT: usize = 72;

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
        let start = self.begin_statement(out);
        out.extend_from_slice(text.as_bytes());
        self.end_statement(out, start);
    }

    /// The beginning of a statement; what is written behind it is its text.
    pub fn begin_statement(self, out: &mut Vec<u8>) -> usize {
        let start = out.len();
        out.extend_from_slice(self.form.indent().as_bytes());
        start
    }

    /// The end of a statement that began at `start`.
    pub fn end_statement(self, out: &mut Vec<u8>, start: usize) {
        // Short lines, whatever the user's limit: nobody's `-ffree-line-length` is smaller.
        if out.len() - start > SHORT {
            let line = out.split_off(start);
            self.in_short_lines(out, line);
        }
        out.push(b'\n');
    }

    fn in_short_lines(self, out: &mut Vec<u8>, mut line: Vec<u8>) {
        let fixed = self.form.is_fixed();
        while line.len() > SHORT {
            let at = break_point(&line, SHORT - 1);
            out.extend_from_slice(&line[..at]);
            out.extend_from_slice(if fixed { b"\n" } else { b"&\n" });
            line.splice(..at, if fixed { &b"     &"[..] } else { b"&" }.iter().copied());
        }
        out.extend_from_slice(&line);
    }

    /// A statement with a label.
    pub fn labelled(self, out: &mut Vec<u8>, label: u32, text: &str) {
        let line = match self.form.is_fixed() {
            true => format!("{label:<6}{text}\n"),
            false => format!("{label} {text}\n"),
        };
        out.extend_from_slice(line.as_bytes());
    }

    /// A directive without clauses.
    pub fn directive(self, out: &mut Vec<u8>, words: &[&str]) {
        self.begin_directive(out, words);
        out.push(b'\n');
    }

    /// The words of a directive. Its clauses follow, and a line end.
    pub fn begin_directive(self, out: &mut Vec<u8>, words: &[&str]) {
        out.extend_from_slice(b"!$omp ");
        for word in words {
            out.extend_from_slice(word.as_bytes());
        }
    }

    /// A clause (as the pieces that it had on the user's lines) on a line of its own. No piece
    /// begins further right than it was, so that none can overflow.
    pub fn clause<'a>(self, out: &mut Vec<u8>, pieces: impl IntoIterator<Item = &'a [u8]>) {
        for (index, piece) in pieces.into_iter().enumerate() {
            // Free form: a blank in front of `&` ends the word before it.
            if index == 0 && !self.form.is_fixed() {
                out.push(b' ');
            }
            self.continue_directive(out);
            self.piece(out, piece);
        }
    }

    fn continue_directive(self, out: &mut Vec<u8>) {
        out.extend_from_slice(if self.form.is_fixed() { b"\n!$omp&" } else { b"&\n!$omp&" });
    }

    fn piece(self, out: &mut Vec<u8>, piece: &[u8]) {
        const SENTINEL: usize = 6;
        let mut rest = piece;
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

/// The text of a clause, cut where the user's lines end. (Single blanks may have been taken out.)
pub(super) fn pieces(directive: &DirectiveText, span: Range<usize>) -> impl Iterator<Item = &[u8]> {
    // A line end and the sentinel of the next line.
    const BETWEEN: usize = 7;
    directive.at.cut(span, BETWEEN).map(|piece| &directive.text[piece])
}
