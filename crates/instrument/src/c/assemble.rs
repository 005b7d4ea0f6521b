//! What is written around and into one construct: the calls of its levels, put into each other.

use super::bounds::UNKNOWN;
use super::counter;
use super::emit::Emitter;
use super::levels::{Calls, Names};
use super::place::Parts;
use super::pragma::{self, Form};
use super::split::{self, Levels};
use super::texts::{Part, Texts};
use crate::directives::{Level, Shape};
use crate::{Abi, Language, Severity};

impl Emitter<'_> {
    /// What is written around and into a directive; a combined one is split for it.
    pub(super) fn parts(
        &mut self,
        texts: &mut Texts,
        index: usize,
        levels: &[Level],
        number: usize,
    ) -> Parts {
        let found = &self.lexed.directives[index];
        let split = match levels.len() {
            1 => Ok(None),
            _ => Levels::new(self.source, found, self.prefix, number).map(Some),
        };
        match split {
            Ok(split) => {
                let calls = self.level_calls(texts, index, levels, number);
                if let Some(split) = &split {
                    split.edit(levels, &mut self.edits);
                }
                self.nest(texts, index, split.as_ref(), &calls)
            }
            Err(reason) => {
                self.outcome.regions[number - 1].include_barrier();
                let message = format!("only fork and join are measured: {reason}");
                self.note(found.span.start, Severity::Note, message);
                let Calls { before, after, .. } = self.fork_and_join(texts, index, number);
                let after = texts.part(|texts| {
                    self.resume(texts, index);
                    texts.again(after);
                });
                Parts { before, after, ..Parts::default() }
            }
        }
    }

    /// The calls of a combined construct that cannot be split.
    fn fork_and_join(&self, texts: &mut Texts, index: usize, number: usize) -> Calls {
        let accessor = self.accessor(number);
        let names = self.names(&accessor, false);
        match self.options.abi {
            Abi::Pomp => names.fork_and_join(texts),
            Abi::Pomp2 => self.pomp2(index, &names).fork_and_join(texts),
        }
    }

    /// The calls of every level.
    fn level_calls(
        &mut self,
        texts: &mut Texts,
        index: usize,
        levels: &[Level],
        number: usize,
    ) -> Vec<Calls> {
        let part = self.part_of_its_own(index, levels).map(|part| self.accessor(part));
        let construct = &self.constructs[index];
        let stays = self.barrier_stays(index);
        let accessor = self.accessor(number);
        let explicit = self.options.end_barrier && !construct.cancelled;
        let explicit = explicit && (stays || !levels.iter().any(|level| level.has_barrier()));
        let calls = levels.iter().map(|&level| {
            let barrier = level.has_barrier();
            let part = part.as_deref().filter(|_| level == Level::Master);
            let names = Names {
                split_barrier: barrier && !stays,
                leaves: construct.leaves && (barrier || level.has_own_barrier()),
                end_barrier: explicit && level == Level::Parallel,
                ..self.names(
                    part.unwrap_or(&accessor),
                    construct.cancelled && level.shape() == Shape::Forking,
                )
            };
            self.calls_of_level(texts, index, level, &names)
        });
        let calls: Vec<Calls> = calls.collect();
        self.needs.guards |= construct.cancelled
            || construct.leaves
            || calls.iter().any(|calls| !calls.iteration.0.is_empty());
        self.needs.counters |= self.options.loop_chunks;
        // In C++ the items of tasks need functions that these have, too.
        self.needs.counts |= levels.iter().any(|level| matches!(level, Level::Loop { .. }))
            || levels.iter().any(|level| level.has_items())
                && self.lexed.directives[index].directive.has("depend")
                && self.options.language == Language::Cxx
                && self.options.abi == Abi::Pomp;
        calls
    }

    /// The calls of one level; none, if it has no events or they are not wanted.
    fn calls_of_level(
        &self,
        texts: &mut Texts,
        index: usize,
        level: Level,
        names: &Names,
    ) -> Calls {
        let Some(stem) = self.stem(level) else { return Calls::default() };
        let found = &self.lexed.directives[index];
        let directive = &found.directive;
        let depend = match level {
            // With `nowait` it waits for nothing.
            Level::Taskwait if directive.has("nowait") => String::new(),
            level if level.has_items() => self.depend(found, level, names),
            _ => String::new(),
        };
        let names = &Names { depend: &depend, ..*names };
        match level {
            _ if self.options.abi == Abi::Pomp2 => {
                self.pomp2(index, names).calls(texts, level, stem)
            }
            Level::Task if !names.cleanup && directive.has("detach") => {
                let event = directive.clause("detach").and_then(|c| c.argument.clone());
                let event = pragma::in_one_line(&found.text, event.unwrap_or(0..0));
                let end = names.detached(texts, &event, self.options.language == Language::Cxx);
                Calls { end, ..names.calls(texts, level, stem) }
            }
            Level::Taskloop { .. } if self.constructs[index].nests.is_empty() => {
                names.unseen_taskloop(texts)
            }
            Level::Loop { .. } => {
                let iteration = self.chunk_events(texts, index, level, names);
                let count = self.count(index);
                let names = Names { count: count.as_deref().unwrap_or(UNKNOWN), ..*names };
                Calls { iteration, ..names.calls(texts, level, stem) }
            }
            _ => names.calls(texts, level, stem),
        }
    }

    /// The events of each iteration of a worksharing loop, if they are wanted and possible: nothing
    /// may stand beside the two blocks that `scan` separates.
    fn chunk_events(
        &self,
        texts: &mut Texts,
        index: usize,
        level: Level,
        names: &Names,
    ) -> (Part, Part) {
        if !self.options.loop_chunks {
            return Default::default();
        }
        let found = &self.lexed.directives[index];
        let directive = &found.directive;
        let scan = directive
            .clause("reduction")
            .is_some_and(|clause| clause.has_modifier(&found.text, "inscan"));
        let [nest, ..] = self.constructs[index].nests.as_slice() else { return Default::default() };
        let possible = level.allows_calls_inside(&found.text, directive) && !scan;
        if !possible {
            return Default::default();
        }
        let counter = match nest.headers.as_slice() {
            [header] => counter::counter(self.source, &pragma::pieces(self.source, header.clone())),
            _ => None,
        };
        names.iteration(texts, counter, self.options.language == Language::Cxx)
    }

    /// Whether a worksharing construct keeps its implicit barrier, or has none.
    pub(super) fn barrier_stays(&self, index: usize) -> bool {
        let (found, construct) = (&self.lexed.directives[index], &self.constructs[index]);
        construct.cancelled || found.barrier_stays()
    }

    /// Puts the levels into each other: the calls of the outer ones go to the generated directives.
    fn nest(
        &self,
        texts: &mut Texts,
        index: usize,
        split: Option<&Levels>,
        calls: &[Calls],
    ) -> Parts {
        // C89 has declarations only where a block begins.
        let braces = |texts: &Texts, level: usize| {
            !calls[level].begin.is_empty() && calls[level + 1].declares(texts)
        };
        let last = calls.len() - 1;
        let before = texts.part(|texts| {
            split.into_iter().for_each(|split| split.before(texts));
            texts.again(calls[0].before);
            for (level, split) in (0..last).zip(split.iter().cycle()) {
                self.outer_directive(texts, index, split, level, calls[level].clauses);
                texts.again(calls[level].begin);
                texts.push(if braces(texts, level) { "{ " } else { "" });
                texts.again(calls[level + 1].before);
            }
        });
        let after = texts.part(|texts| {
            self.resume(texts, index);
            texts.again(calls[last].after);
            for level in (0..last).rev() {
                texts.push(if braces(texts, level) { " }" } else { "" });
                texts.again(calls[level].end);
                texts.again(calls[level].after);
            }
        });
        let Calls { clauses, begin, end, iteration, .. } = calls[last];
        Parts { before, clauses, begin, end, iteration, after }
    }

    /// Writes the generated directive of an outer level.
    fn outer_directive(
        &self,
        texts: &mut Texts,
        index: usize,
        split: &Levels,
        level: usize,
        clauses: Part,
    ) {
        let found = &self.lexed.directives[index];
        if let Form::Line { .. } = found.form {
            texts.push("\n");
            if let Some(line) = self.insertions.marker_line(found.span.start) {
                texts.push_all(&[self.insertions.marker_word(), " ", line.text(), "\n"]);
            }
            texts.push("#pragma omp ");
            split.outer(texts, level);
            texts.again(clauses);
            return texts.push("\n");
        }
        let mut own = Texts::default();
        let directive = own.part(|own| {
            split.outer(own, level);
            own.push(texts.get(clauses));
        });
        let literal = split::operator_text(found.form, own.get(directive));
        texts.push_all(&[" _Pragma(", &literal, ") "]);
    }
}
