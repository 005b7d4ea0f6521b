//! Loops in the nesting: where they end, labelled ones too, and the body whose iterations a
//! construct is about. In that body an iteration ends in front of END DO and in front of each CYCLE
//! of the loop.

use super::nest::{Entry, Nester, State};
use super::site::{Body, Close, Event};
use crate::directives::{Level, depth, transformed};

/// More nested loops than anybody collapses.
const LOOPS: usize = 24;

impl Nester<'_> {
    /// A loop begins: the entry is its own.
    pub(super) fn begin_do(&mut self, entry: Entry) {
        let Entry::Do { label, at, concurrent, .. } = entry else { return };
        if let Some(Entry::Omp(_, state @ State::Awaiting)) = self.stack.last_mut() {
            *state = State::Running;
        }
        self.stack.push(entry);
        let Some(site) = self.construct_of(self.stack.len() - 1) else { return };
        // Nothing is called in DO CONCURRENT; a second loop is that of another preprocessor branch.
        if concurrent || self.nest.sites[site].body.is_some() {
            return;
        }
        let labelled = self.stack.iter().rev().map_while(|entry| match *entry {
            Entry::Do { label: other, at, .. } => (label != 0 && other == label).then_some(at),
            _ => None,
        });
        let labelled = labelled.collect();
        self.nest.sites[site].body = Some(Body { begin: at, labelled, ended: false });
        self.nest.events.push(Event::BodyBegin(site));
    }

    /// The construct whose iterations are those of the loop at `position` of the stack.
    fn construct_of(&self, position: usize) -> Option<usize> {
        let (mut loops, mut wanted) = (1, 1);
        for entry in self.stack[..position].iter().rev().take(LOOPS) {
            match *entry {
                Entry::Do { .. } => loops += 1,
                Entry::Omp(site, State::Running | State::Awaiting) => {
                    let directive = self.nest.sites[site].directive;
                    let parsed = &self.parsed[directive];
                    if let Some(depth) = transformed(&parsed.directive) {
                        wanted = wanted.max(depth);
                        continue;
                    }
                    let text = &self.scan.directives[directive].text;
                    let wanted = depth(text, &parsed.directive)?.max(wanted);
                    let iterates = parsed.levels().last().copied().is_some_and(Level::iterates);
                    return (iterates && loops == wanted).then_some(site);
                }
                _ => return None,
            }
        }
        None
    }

    /// CYCLE ends an iteration of the innermost loop, or of the one with its name.
    pub(super) fn cycle(&mut self, at: usize, name: u32) {
        let is_meant = |entry: &Entry| match *entry {
            Entry::Do { name: other, .. } => name == 0 || name == other,
            _ => false,
        };
        let unit = self.stack.iter().rposition(|entry| matches!(entry, Entry::Unit { .. }));
        let from = unit.map_or(0, |unit| unit + 1);
        let Some(position) = self.stack[from..].iter().rposition(is_meant) else { return };
        if let Some(site) = self.construct_of(from + position) {
            self.nest.events.push(Event::Cycle(site, at));
        }
    }

    /// A labelled statement ends all loops that name it.
    pub(super) fn terminal(&mut self, at: usize, label: u32) {
        while let Some(entry) = self.stack.last() {
            match *entry {
                Entry::Do { label: wanted, .. } if wanted == label => self.pop_do(at),
                Entry::Omp(site, State::Ended(end) | State::Atomic(end))
                    if end == at && self.outer_loop_ends_too(label) =>
                {
                    self.pop_site(site, Close::Nowhere, at);
                }
                _ => break,
            }
        }
    }

    /// Whether a statement with this label ends an open loop.
    pub(super) fn ends_loop(&self, label: u32) -> bool {
        let ends =
            |entry: &Entry| matches!(entry, Entry::Do { label: wanted, .. } if *wanted == label);
        self.stack.iter().any(ends)
    }

    fn outer_loop_ends_too(&self, label: u32) -> bool {
        let outer = self.stack.len().checked_sub(2).map(|outer| self.stack[outer]);
        matches!(outer, Some(Entry::Do { label: other, .. }) if other == label)
    }

    pub(super) fn end_do(&mut self, at: usize) {
        let open = self.unwind_to(|entry| matches!(entry, Entry::Do { .. }));
        if open {
            self.pop_do(at);
        }
    }

    /// Removes the loop on top.
    fn pop_do(&mut self, at: usize) {
        let position = self.stack.len() - 1;
        if let Some(site) = self.construct_of(position) {
            if let Some(body) = &mut self.nest.sites[site].body {
                body.ended = true;
            }
            self.nest.events.push(Event::BodyEnd(site, at));
        }
        self.stack.pop();
        if let Some(Entry::Omp(_, state @ State::Running)) = self.stack.last_mut() {
            *state = State::Ended(at);
        }
    }
}
