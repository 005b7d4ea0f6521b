//! Where the texts of a construct go: before its directive, into its body, behind it; under a macro
//! where preprocessor branches make it depend on the configuration whether the directive is there.

use super::emit::Emitter;
use super::insertions::Rank;
use super::pragma::Form;
use super::statements::Body;
use super::texts::{Part, Texts};

/// What is written around and into one directive.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Parts {
    /// Before the directive.
    pub(super) before: Part,
    /// Appended to the user's directive.
    pub(super) clauses: Part,
    /// At the begin and the end of the body.
    pub(super) begin: Part,
    pub(super) end: Part,
    /// At both ends of what an iteration executes.
    pub(super) iteration: (Part, Part),
    /// Behind it all.
    pub(super) after: Part,
}

/// What is inserted at both ends of some bodies.
struct Ends<'a> {
    begin: &'a str,
    end: &'a str,
    /// The macro that it depends on, if any.
    guard: Option<&'a str>,
    /// Whether the macro ends there.
    last: bool,
}

impl Emitter<'_> {
    /// Writes the parts of one construct to the insertions and edits.
    pub(super) fn place(&mut self, index: usize, texts: &mut Texts, parts: Parts) {
        let found = &self.lexed.directives[index];
        let wrap = !parts.before.is_empty() || !parts.after.is_empty();
        let (open, close) = if wrap { ("{ ", " }") } else { ("", "") };
        self.calls = true;
        let guard = self.guard(index);
        if wrap || guard.is_some() {
            let define = match &guard {
                Some(name) => format!("\n#define {name} 1\n"),
                None => String::new(),
            };
            let before = [define.as_str(), open, texts.get(parts.before)];
            self.insertions.add(found.span.start, Rank::before(index), &before);
        }
        self.edits.insert(found.place(found.directive.end), texts.get(parts.clauses));
        let construct = &self.constructs[index];
        if !found.has_body() {
            let (end, blank) = match found.form {
                Form::Line { next } => (next, ""),
                _ => (construct.bodies.first().map_or(0, |body| body.end), " "),
            };
            let after = [blank, texts.get(parts.after).trim_start(), close];
            return self.insertions.add(end, Rank::end(index), &after);
        }
        let end = texts.part(|texts| {
            texts.again(parts.end);
            texts.again(parts.after);
            texts.push(close);
        });
        let guard = guard.as_deref();
        let (begin, iteration_end) = parts.iteration;
        if !begin.is_empty() || guard.is_some() {
            let (begin, end) = (texts.get(begin), texts.get(iteration_end));
            let ends = Ends { begin, end, guard, last: false };
            self.place_ends(index, &construct.iterations(), &ends);
        }
        let (begin, end) = (texts.get(parts.begin), texts.get(end));
        self.place_ends(index, &construct.bodies, &Ends { begin, end, guard, last: true });
    }

    /// Writes both ends of the bodies of a construct. They may share one: the beginning, say, where
    /// preprocessor branches differ behind it.
    fn place_ends(&mut self, index: usize, bodies: &[Body], ends: &Ends) {
        if ends.begin.is_empty() && ends.end.is_empty() && ends.guard.is_none() {
            return;
        }
        for (nth, body) in bodies.iter().enumerate() {
            if !bodies[..nth].iter().any(|other| other.start == body.start) {
                let guard = ends.guard.map(|name| (name, false));
                let rank = Rank::body(index);
                self.insert(index, body.start, body.start, rank, &[ends.begin], guard);
            }
            if !bodies[..nth].iter().any(|other| other.end == body.end) {
                // It may be that of a compound statement in one branch and of a loop in another.
                let mut same = bodies.iter().filter(|other| other.end == body.end);
                let text = match (same.all(|body| body.compound), ends.end) {
                    (true, end) => [" ", end.trim_start()],
                    (false, "") => ["", ""],
                    (false, end) => [";", end],
                };
                let guard = ends.guard.map(|name| (name, ends.last));
                self.insert(index, body.end, body.end - 1, Rank::end(index), &text, guard);
            }
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
        text: &[&str],
        guard: Option<(&str, bool)>,
    ) {
        match guard {
            Some((name, last)) if self.leaves_branch(index, inside) => {
                let text = text.concat();
                if !text.trim().is_empty() {
                    self.insertions.add_guarded(offset, rank, name, text.trim(), last);
                }
            }
            _ => self.insertions.add(offset, rank, text),
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
        let iterations = construct.nests.iter().map(|nest| &nest.iteration);
        let leaves = self.lexed.directives[index].has_body()
            && construct.bodies.iter().chain(iterations).any(|body| {
                self.leaves_branch(index, body.start) || self.leaves_branch(index, body.end - 1)
            });
        leaves.then(|| format!("{}b{}", self.prefix, index + 1))
    }
}
