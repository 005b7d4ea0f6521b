//! Metadirectives: what they apply to. What they become on the host: `becomes.rs`.
//!
//! They stay metadirectives: clauses are added inside of the variant that holds, and neither is a
//! combined variant split nor a barrier taken out, since `nowait` has its place in an END directive
//! that a metadirective has not.

use super::class::{Class, Construct};
use super::directive::Parsed;
use super::nest::{Entry, Nester, State};
use super::scan::Kind;
use crate::directives::{Level, Shape};

/// Why the BLOCK of a metadirective gets no calls.
const BLOCK: &str = "nothing can be put between a metadirective and its BLOCK";

impl Parsed {
    /// Why only the calls around it are possible, if it is a metadirective and others were needed.
    pub fn kept_whole(&self) -> Option<&'static str> {
        self.metadirective?;
        if self.levels().len() > 1 {
            return Some("a metadirective cannot be split");
        }
        (self.may_become_any() && self.levels() == [Level::Parallel]).then_some(BLOCK)
    }

    /// Whether calls are needed between it and its body, and not only around it.
    fn opens_body(&self) -> bool {
        let inside = |level: &Level| !matches!(level.shape(), Shape::Around | Shape::Taskloop);
        // The first section may begin without a directive.
        self.levels().contains(&Level::Sections)
            || self.kept_whole().is_none() && self.levels().iter().any(inside)
    }
}

impl Nester<'_> {
    /// The first state of a metadirective. What is behind one that may become any directive tells.
    pub(super) fn state_of_metadirective(&self, at: usize, parsed: &Parsed) -> Option<State> {
        if !parsed.may_become_any() {
            let runs = parsed.is_loop() && self.loop_follows(at);
            return Some(if runs { State::Awaiting } else { State::Fresh });
        }
        if parsed.stands_alone() {
            return None;
        }
        let block = |kind| kind == Kind::Code(Class::Open(Construct::Block));
        match self.behind(at) {
            Some((_, statement)) if block(statement.kind) => Some(State::Fresh),
            _ => self.loop_follows(at).then_some(State::Awaiting),
        }
    }

    /// Whether a loop or a directive for one is behind a metadirective, and others perhaps between.
    fn loop_follows(&self, mut at: usize) -> bool {
        // Nobody writes more of them, and each one looks so far ahead.
        const BETWEEN: usize = 16;
        for _ in 0..BETWEEN {
            let Some((next, statement)) = self.behind(at) else { return false };
            let directive = match statement.kind {
                Kind::Code(class) => return matches!(class, Class::Do { .. }),
                Kind::Directive(directive) => &self.parsed[directive],
                Kind::Cpp(_) => return false,
            };
            if directive.is_loop() || directive.stands_alone() || !directive.may_become_any() {
                return directive.is_loop();
            }
            at = next;
        }
        false
    }

    /// Why what a metadirective becomes gets no events: it needs another body than it seems to
    /// have, or calls where none can be.
    pub(super) fn misfit(&self, directive: usize, state: Option<State>) -> Option<&'static str> {
        let parsed = &self.parsed[directive];
        let fits = match state {
            None => parsed.stands_alone(),
            Some(State::Awaiting) => parsed.is_loop(),
            Some(_) => !parsed.stands_alone() && !parsed.is_loop(),
        };
        if parsed.metadirective.is_none() || parsed.levels().is_empty() {
            return None;
        }
        if !fits {
            return Some("the body of this metadirective cannot be told from the text");
        }
        let block = state.is_some() && parsed.may_become_any() && parsed.opens_body();
        block.then_some(BLOCK)
    }

    /// Whether a `begin metadirective` is open, to which the next `end metadirective` belongs.
    pub(super) fn in_begin_metadirective(&self) -> bool {
        let begins = |site: usize| {
            self.parsed_of(site).metadirective.is_some_and(|metadirective| metadirective.delimited)
        };
        self.stack.iter().any(|entry| matches!(*entry, Entry::Omp(site, _) if begins(site)))
    }
}
