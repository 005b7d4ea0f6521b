//! Where the texts of a construct go: before its directive, into its body, behind it; under a macro
//! where preprocessor branches make it depend on the configuration whether the directive is there.

use super::emit::Emitter;
use super::insertions::Rank;
use super::pragma::Form;
use super::split::Parts;
use super::statements::Body;
use std::collections::{BTreeMap, BTreeSet};

impl Emitter<'_> {
    /// Writes the parts of one construct to the insertions and edits.
    pub(super) fn place(&mut self, index: usize, parts: Parts, after: String) {
        let found = &self.lexed.directives[index];
        let wrap = !parts.before.is_empty() || !after.is_empty();
        let (open, close) = if wrap { ("{ ", " }") } else { ("", "") };
        self.calls = true;
        let guard = self.guard(index);
        let define = match &guard {
            Some(name) => format!("\n#define {name} 1\n"),
            None => String::new(),
        };
        if wrap || guard.is_some() {
            let text = format!("{define}{open}{}", parts.before);
            self.insertions.add(found.span.start, Rank::before(index), text);
        }
        self.edits.insert(found.directive.end, parts.clauses);
        for (range, text) in parts.edits {
            self.edits.replace(range, text);
        }
        if !found.has_body() {
            let (end, blank) = match found.form {
                Form::Line { next } => (next, ""),
                _ => (self.constructs[index].bodies.first().map_or(0, |body| body.end), " "),
            };
            let text = format!("{blank}{}{close}", after.trim_start());
            return self.insertions.add(end, Rank::end(index), text);
        }
        let construct = &self.constructs[index];
        let (begin, end) = &parts.iteration;
        self.place_bodies(index, &construct.iterations(), begin, end, guard.as_deref(), false);
        let end = format!("{}{after}{close}", parts.end);
        self.place_bodies(index, &construct.bodies, &parts.begin, &end, guard.as_deref(), true);
    }

    /// Writes both ends of the bodies of a construct. With the `last` ones, the guard ends.
    fn place_bodies(
        &mut self,
        index: usize,
        bodies: &[Body],
        begin: &str,
        end: &str,
        guard: Option<&str>,
        last: bool,
    ) {
        if begin.is_empty() && end.is_empty() && guard.is_none() {
            return;
        }
        let starts: BTreeSet<usize> = bodies.iter().map(|body| body.start).collect();
        // One end may be that of a compound statement in one branch and of a loop in another.
        let mut ends: BTreeMap<usize, bool> = BTreeMap::new();
        for body in bodies {
            *ends.entry(body.end).or_insert(true) &= body.compound;
        }
        for start in starts {
            let guard = guard.map(|name| (name, false));
            self.insert(index, start, start, Rank::body(index), begin, guard);
        }
        for (offset, compound) in ends {
            let text = if compound || end.is_empty() { end.to_owned() } else { format!(";{end}") };
            let text = text.trim_start().to_owned();
            let text = if compound { format!(" {text}") } else { text };
            let guard = guard.map(|name| (name, last));
            self.insert(index, offset, offset - 1, Rank::end(index), &text, guard);
        }
    }

    /// Inserts at an offset, under the guard if that offset is also reached by configurations that
    /// do not have the directive. `inside` is an offset in the branch in question.
    fn insert(
        &mut self,
        index: usize,
        offset: usize,
        inside: usize,
        rank: Rank,
        text: &str,
        guard: Option<(&str, bool)>,
    ) {
        match guard {
            Some((name, last)) if self.leaves_branch(index, inside) => {
                if !text.trim().is_empty() {
                    self.insertions.add_guarded(offset, rank, name, text.trim(), last);
                }
            }
            _ => self.insertions.add(offset, rank, text.to_owned()),
        }
    }

    fn leaves_branch(&self, index: usize, offset: usize) -> bool {
        let conditions = &self.lexed.conditions;
        let own = conditions.branch_at(self.lexed.directives[index].span.end);
        !conditions.within(conditions.branch_at(offset), own)
    }

    /// The macro that tells whether the branch of this directive is active, if one is needed.
    fn guard(&self, index: usize) -> Option<String> {
        let construct = &self.constructs[index];
        let bodies = [construct.bodies.as_slice(), &construct.iterations()].concat();
        let leaves = self.lexed.directives[index].has_body()
            && bodies.iter().any(|body| {
                self.leaves_branch(index, body.start) || self.leaves_branch(index, body.end - 1)
            });
        leaves.then(|| format!("{}b{}", self.prefix, index + 1))
    }
}
