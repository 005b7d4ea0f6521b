//! Lock routines under the names that the POMP paper gives them, for measurement libraries that
//! cannot stand in for the OpenMP runtime's own. The name of the routine is replaced wherever code
//! has it: in calls, in function references and as an argument. Declarations of the user keep it:
//! the unit gets an interface of ours, which takes a lock of any kind.

use super::class::Class;
use super::code::Code;
use super::rewrite::Rewriter;
use super::scan::Kind;
use super::text::LockRoutine;
use crate::Abi;
use std::ops::Range;

/// The routines of OpenMP, by what comes behind `omp_`.
pub(super) const ROUTINES: &[LockRoutine] = &[
    LockRoutine { name: "init_lock", result: "", hint: false },
    LockRoutine { name: "init_nest_lock", result: "", hint: false },
    LockRoutine { name: "init_lock_with_hint", result: "", hint: true },
    LockRoutine { name: "init_nest_lock_with_hint", result: "", hint: true },
    LockRoutine { name: "destroy_lock", result: "", hint: false },
    LockRoutine { name: "destroy_nest_lock", result: "", hint: false },
    LockRoutine { name: "set_lock", result: "", hint: false },
    LockRoutine { name: "set_nest_lock", result: "", hint: false },
    LockRoutine { name: "unset_lock", result: "", hint: false },
    LockRoutine { name: "unset_nest_lock", result: "", hint: false },
    LockRoutine { name: "test_lock", result: "logical(4)", hint: false },
    LockRoutine { name: "test_nest_lock", result: "integer(4)", hint: false },
];

impl Rewriter<'_> {
    /// Replaces the names in all statements.
    pub(super) fn rewrite_locks(&mut self) {
        if !self.facts.options.rewrites_locks() {
            return;
        }
        let statements = &self.facts.scan.statements;
        for (at, statement) in statements.iter().enumerate() {
            if !matches!(
                statement.kind,
                Kind::Code(Class::Other | Class::Cycle { .. } | Class::Open(_) | Class::Do { .. })
            ) {
                continue;
            }
            let lines = &self.facts.scan.lines[statement.first..=statement.last];
            if !lines.iter().any(|line| mentions_lock(&self.source[line.start..line.end])) {
                continue;
            }
            let code = Code::of(self.source, self.facts.scan, self.writer.form, *statement);
            if declares(&code.text) {
                continue;
            }
            for (word, routine) in found(&code) {
                // POMP2 has no routines with hints.
                if !(routine.hint && self.facts.options.abi == Abi::Pomp2) {
                    self.replace_lock(at, word, routine);
                }
            }
        }
    }

    fn replace_lock(&mut self, at: usize, word: Range<usize>, routine: &'static LockRoutine) {
        let name = self.names.lock(routine);
        let interface = self.lock_interface(routine, &name);
        let unit = self.facts.nest.unit_at(at);
        self.declare(unit, interface);
        let index = self.facts.scan.lines.partition_point(|line| line.next <= word.start);
        let line = self.facts.scan.lines[index];
        let text = &self.source[line.start..line.end];
        let words = text.windows(5).filter(|part| part.eq_ignore_ascii_case(b"_lock")).count();
        let longer = (name.len() + 1).saturating_sub(word.len());
        if text.len() + longer * words < self.writer.room {
            return self.edits.replace(word, name);
        }
        let split = self.split_of(index, text);
        self.edits.replace(word, format!("{split}{name}{split}"));
    }

    /// What continues the statement of a line on the next one.
    fn split_of(&self, index: usize, text: &[u8]) -> String {
        let fixed = self.writer.form.is_fixed();
        // A line for OpenMP compilers alone goes on as one.
        let sentinel = text.trim_ascii_start().get(1) == Some(&b'$');
        let marker = match self.facts.options.line_markers {
            true => self.facts.places.marker_for(index),
            false => String::new(),
        };
        match (fixed, sentinel) {
            (true, true) => format!("\n{marker}!$   &"),
            (true, false) => format!("\n{marker}     &"),
            (false, true) => format!("&\n{marker}!$ &"),
            (false, false) => format!("&\n{marker}&"),
        }
    }

    fn lock_interface(&self, routine: &LockRoutine, name: &str) -> Vec<u8> {
        let mut out = Vec::new();
        let [lock, hint] = ["x0", "x1"].map(|dummy| format!("{}{dummy}", self.names.prefix()));
        self.writer.statement(&mut out, "interface");
        self.writer.statement(&mut out, &routine.head(name, &lock, &hint));
        self.writer.any_type(&mut out, &lock);
        if routine.hint {
            self.writer.statement(&mut out, &format!("integer(4) :: {hint}"));
        }
        self.writer.statement(&mut out, &format!("end {}", routine.kind()));
        self.writer.statement(&mut out, "end interface");
        out
    }
}

/// Whether a text may have the name of a lock routine.
pub(super) fn mentions_lock(text: &[u8]) -> bool {
    memchr::memchr_iter(b'_', text)
        .any(|at| text.get(at..at + 5).is_some_and(|part| part.eq_ignore_ascii_case(b"_lock")))
}

fn declares(text: &[u8]) -> bool {
    let words: [&[u8]; 5] = [b"external", b"logical", b"integer", b"procedure", b"intrinsic"];
    words.iter().any(|word| text.starts_with(word))
}

/// The places of lock routines' names in a statement.
fn found(code: &Code) -> Vec<(Range<usize>, &'static LockRoutine)> {
    let is_name = |c: u8| c.is_ascii_alphanumeric() || c == b'_';
    let mut found = Vec::new();
    let mut start = 0;
    while start < code.text.len() {
        let mut end = start + 1;
        while end < code.text.len()
            && is_name(code.text[start])
            && is_name(code.text[end])
            && code.at[end] == code.at[end - 1] + 1
        {
            end += 1;
        }
        let word = &code.text[start..end];
        let component = start > 0 && code.text[start - 1] == b'%';
        if let Some(rest) = word.strip_prefix(b"omp_")
            && !component
            && let Some(routine) = ROUTINES.iter().find(|routine| routine.name.as_bytes() == rest)
        {
            found.push((code.at[start]..code.at[end - 1] + 1, routine));
        }
        start = end;
    }
    found
}
