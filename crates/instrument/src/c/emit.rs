//! What each construct gets: which ones have events, and what is said about those that have none.

use super::bodies::Bodies;
use super::calls;
use super::constructs::{Closed, Construct};
use super::insertions::{Insertions, Rank};
use super::levels::Names;
use super::lexer::Lexed;
use super::open_regions::OpenRegions;
use super::place::Parts;
use super::positions::Positions;
use super::pragma::Found;
use super::results;
use super::statements::Body;
use super::texts::Texts;
use crate::clauses::UNKNOWN;
use crate::decimal::Decimal;
use crate::directives::{self, Kind, Level};
use crate::edit::EditList;
use crate::{
    Abi, CALLS, Diagnostic, Error, LineIndex, Options, Outcome, RESULTS_USED, Region, Severity,
    TIMED, pomp2,
};
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// What the prelude has to declare besides the routines.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Needs {
    /// Cleanup ends.
    pub(super) guards: bool,
    /// What tells integers from other counters.
    pub(super) counters: bool,
    /// What counts the iterations of loops.
    pub(super) counts: bool,
    /// Whether the text has integers of the type long long; `None` if the compiler is to say it.
    pub(super) wide: Option<bool>,
    /// Entries and cleanup ends of functions.
    pub(super) functions: bool,
    /// The same of lambdas.
    pub(super) lambdas: bool,
    /// And of functions that compilers may evaluate.
    pub(super) constants: bool,
}

/// So many edits most directives make at the most, with what is inserted for them.
const EDITS_PER_DIRECTIVE: usize = 8;

/// The outcome for a text without anything to instrument.
pub(super) fn unchanged(source: &[u8]) -> Outcome {
    Outcome {
        text: source.to_vec(),
        regions: Vec::new(),
        directives_found: 0,
        directives_instrumented: 0,
        functions_instrumented: 0,
        diagnostics: Vec::new(),
    }
}

/// Instruments all constructs.
pub(super) fn emit(
    source: &[u8],
    options: &Options,
    lines: &LineIndex,
    lexed: &Lexed,
    constructs: &[Construct],
    bodies: &Bodies,
    visible: &dyn Fn(usize) -> bool,
) -> Result<Outcome, Error> {
    let prefix = crate::free_prefix(source);
    let positions = Positions::new(lines, &lexed.markers);
    let mut outcome = unchanged(&[]);
    outcome.regions.reserve(constructs.len());
    let mut edits = EditList::new();
    edits.reserve(constructs.len() * EDITS_PER_DIRECTIVE, 0);
    let mut emitter = Emitter {
        source,
        options,
        lines,
        lexed,
        constructs,
        prefix: &prefix,
        positions: &positions,
        insertions: Insertions::new(source, &positions, options, constructs.len()),
        edits,
        numbers: vec![None; constructs.len()],
        functions_around: bodies.around(&lexed.directives),
        needs: Needs { wide: mentions_wide_integers(source, options), ..Needs::default() },
        calls: false,
        defined: OnceCell::new(),
        devices_in_branch: OnceCell::new(),
        effects: OnceCell::new(),
        counts: RefCell::default(),
        reported: BTreeSet::new(),
        unknown: BTreeSet::new(),
        open_regions: OpenRegions::default(),
        texts: Texts::default(),
        outcome,
    };
    for (index, found) in lexed.directives.iter().enumerate() {
        match &found.kind {
            Kind::User(user) if visible(found.span.start) => emitter.user(index, user)?,
            _ if constructs[index].seen => emitter.construct(index),
            Kind::Unknown if visible(found.span.start) => emitter.unknown(found),
            _ => {}
        }
    }
    if options.openmp {
        emitter.hidden();
    }
    if options.functions.is_some() {
        emitter.functions(bodies);
    }
    emitter.finish()
}

/// Whether preprocessed text has integers of the type long long.
fn mentions_wide_integers(source: &[u8], options: &Options) -> Option<bool> {
    let mentions = || memchr::memmem::find(source, b"long long").is_some();
    options.preprocessed.then(mentions)
}

pub(super) struct Emitter<'a> {
    pub(super) source: &'a [u8],
    pub(super) options: &'a Options,
    pub(super) lines: &'a LineIndex,
    pub(super) lexed: &'a Lexed,
    pub(super) constructs: &'a [Construct],
    pub(super) prefix: &'a str,
    pub(super) positions: &'a Positions<'a>,
    pub(super) insertions: Insertions<'a>,
    pub(super) edits: EditList,
    /// Region number of each directive that has events.
    pub(super) numbers: Vec<Option<usize>>,
    /// Name of the function around each directive, empty where none is known.
    pub(super) functions_around: Vec<&'a str>,
    pub(super) needs: Needs,
    /// Whether anything that was inserted needs the declarations.
    pub(super) calls: bool,
    /// Names of macros, found at the first use.
    pub(super) defined: OnceCell<HashSet<&'a [u8]>>,
    /// Whether a branch of the preprocessor makes something code for devices.
    pub(super) devices_in_branch: OnceCell<bool>,
    /// Names whose evaluation may have an effect, found at the first use.
    pub(super) effects: OnceCell<HashSet<&'a [u8]>>,
    /// Numbers of iterations by the header of the loop, where no clause changes the names in it.
    pub(super) counts: RefCell<HashMap<&'a [u8], Option<Rc<str>>>>,
    /// Constructs whose closedness has been reported, and whether preprocessing may end it.
    reported: BTreeSet<(usize, bool)>,
    /// Names of directives that are not known.
    unknown: BTreeSet<String>,
    pub(super) open_regions: OpenRegions,
    /// Those of the construct in hand; kept for their memory.
    texts: Texts,
    pub(super) outcome: Outcome,
}

impl Emitter<'_> {
    /// One directive that the compiler knows.
    fn construct(&mut self, index: usize) {
        let (found, construct) = (&self.lexed.directives[index], &self.constructs[index]);
        let levels = match &found.kind {
            Kind::Events(levels) => levels.as_slice(),
            Kind::Section => &[],
            _ => {
                self.note_undecided(index);
                return self.resume_alone(index);
            }
        };
        self.outcome.directives_found += 1;
        let usable = construct.closed_by.is_none() && !construct.muted;
        if let Some(closed) = construct.closed_by {
            self.report_closed(closed, found);
        }
        if !usable {
            return;
        }
        if levels.is_empty() {
            self.section(index, &construct.bodies, false);
        } else if levels.iter().any(|&level| self.stem(level).is_some()) {
            self.events(index, levels);
        } else {
            if levels.iter().any(|&level| !self.options.abi.knows(level)) {
                let message = format!("`{}`: {}", found.directive.name(), pomp2::UNKNOWN);
                self.note(found.span.start, Severity::Note, message);
            }
            self.resume_alone(index);
        }
    }

    /// The word in the names of the routines, if this level has events and they are wanted.
    pub(super) fn stem(&self, level: Level) -> Option<&'static str> {
        let disabled = level.switch().is_some_and(|name| self.options.disabled.contains(name));
        (!disabled && self.options.abi.knows(level)).then(|| level.stem(false))
    }

    pub(super) fn names<'n>(&'n self, accessor: &'n str, cleanup: bool) -> Names<'n> {
        let (split_barrier, leaves, end_barrier) = (false, false, false);
        let prefix = self.prefix;
        let (count, depend) = ("", "");
        Names { prefix, accessor, cleanup, split_barrier, leaves, end_barrier, count, depend }
    }

    /// A construct with events of its own.
    fn events(&mut self, index: usize, levels: &[Level]) {
        let (found, construct) = (&self.lexed.directives[index], &self.constructs[index]);
        let mut region = self.region(index);
        self.tell(index, levels, &mut region);
        let number = self.add_region(region);
        self.numbers[index] = Some(number);
        self.outcome.directives_instrumented += 1;
        if levels.len() == 1
            && let Some(name) = self.macro_in_clauses(found)
        {
            let message = format!("`{name}` {UNKNOWN}; the preprocessed text shows what it is");
            self.note(found.span.start, Severity::Hidden, message);
        }
        let mut texts = std::mem::take(&mut self.texts);
        texts.clear();
        let parts = self.parts(&mut texts, index, levels, number);
        self.note_unseen_tasks(index, levels);
        self.place(index, &mut texts, parts);
        self.texts = texts;
        // Nothing inside of a combined construct that is not split has events.
        let is_whole = || levels.len() > 1 && found.split().is_err();
        if levels.contains(&Level::Sections) && !is_whole() {
            self.section(index, &construct.implicit_section, true);
        }
    }

    /// Says of a metadirective that only compilers know what it becomes.
    fn note_undecided(&mut self, index: usize) {
        let (found, construct) = (&self.lexed.directives[index], &self.constructs[index]);
        let open = construct.closed_by.is_none() && !construct.muted;
        if open && directives::is_undecided(&found.text, &found.directive) {
            let message = "what this metadirective becomes cannot be told from its text: it has \
                           no events of its own";
            self.note(found.span.start, Severity::Note, message.to_owned());
        }
    }

    /// Says that a taskloop's loop was not found, or not which of the nested ones is the innermost.
    fn note_unseen_tasks(&mut self, index: usize, levels: &[Level]) {
        let found = &self.lexed.directives[index];
        if !levels.contains(&Level::Taskloop { simd: false })
            || !self.constructs[index].nests.is_empty()
        {
            return;
        }
        let hidden = !self.options.preprocessed
            && directives::depth(&found.text, &found.directive).is_none();
        let severity = if hidden { Severity::Hidden } else { Severity::Note };
        let message = "the loops of this taskloop cannot be told from its text: its tasks are not \
                       seen";
        self.note(found.span.start, severity, message.to_owned());
    }

    /// Adds our own words to the clauses of a region.
    fn tell(&self, index: usize, levels: &[Level], region: &mut Region) {
        let found = &self.lexed.directives[index];
        let directive = &found.directive;
        let enabled =
            |level: Level| level.switch().is_some_and(|s| self.options.enabled.contains(s));
        if levels.iter().any(|&level| enabled(level)) {
            region.add_clause(TIMED);
        }
        let mut bodies = self.constructs[index].bodies.iter();
        if levels == [Level::Atomic]
            && bodies.any(|body| calls::has_call(self.source, body.start..body.end))
        {
            region.add_clause(CALLS);
        }
        let stays = self.barrier_stays(index) && !directive.has("nowait");
        let included = levels.iter().any(|level| match level {
            _ if level.has_barrier() => stays,
            _ => level.hides_barrier(&found.text, directive),
        });
        if included {
            region.include_barrier();
        }
        let waits = !directive.has("nowait") && levels.iter().all(|level| level.has_barrier());
        if waits && self.stores_for_others(index) {
            region.add_clause(RESULTS_USED);
        }
    }

    /// Whether other code of the parallel region around uses what the construct stores.
    fn stores_for_others(&self, index: usize) -> bool {
        let around = |at: usize| self.constructs[at].parent;
        let is_parallel = |&at: &usize| match &self.lexed.directives[at].kind {
            Kind::Events(levels) => levels.contains(&Level::Parallel),
            _ => false,
        };
        let parallel = std::iter::successors(around(index), |&at| around(at)).find(is_parallel);
        let Some(parallel) = parallel else { return false };
        let bodies = |at: usize| self.constructs[at].bodies.first();
        let (Some(own), Some(outer)) = (bodies(index), bodies(parallel)) else { return false };
        results::are_used(self.source, own.start..own.end, outer.start..outer.end)
    }

    /// A section, with or without a directive of its own.
    fn section(&mut self, index: usize, bodies: &[Body], implicit: bool) {
        if bodies.is_empty() || self.options.disabled.contains("sections") {
            return;
        }
        let (found, construct) = (&self.lexed.directives[index], &self.constructs[index]);
        let (begin, end) = (self.directive_lines(found), self.last_lines(bodies));
        let mut region = Region::new("section", begin, end);
        region.describe(self.functions_around[index], "", self.options.abi);
        region.file = self.file(found.span.start);
        let parent = if implicit { Some(index) } else { construct.parent };
        let cancelled = parent.is_some_and(|parent| self.constructs[parent].cancelled);
        self.needs.guards |= cancelled;
        let mut texts = Texts::default();
        let (number, (begin, end)) = match self.options.abi {
            Abi::Pomp => {
                let number = self.add_region(region);
                let accessor = self.accessor(number);
                (Some(number), self.names(&accessor, cancelled).section(&mut texts))
            }
            Abi::Pomp2 => (None, self.section_of_pomp2(&mut texts, parent, cancelled)),
        };
        let (begin, end) = (texts.get(begin).trim_end(), texts.get(end).trim_start());
        self.calls = true;
        for body in bodies {
            self.insertions.add(body.start, Rank::body(index), &[begin, " "]);
            self.insertions.add(body.end, Rank::end(index), &["; ", end]);
        }
        if !implicit {
            self.numbers[index] = number;
            self.outcome.directives_instrumented += 1;
        }
    }

    /// Writes the call behind a scheduling point of an untied task.
    pub(super) fn resume(&self, texts: &mut Texts, index: usize) {
        let construct = &self.constructs[index];
        let number = construct.untied_task.and_then(|task| self.numbers[task]);
        let pomp = self.options.abi == Abi::Pomp;
        if let Some(number) = number.filter(|_| pomp && self.is_scheduling_point(index)) {
            let (prefix, number) = (self.prefix, Decimal::new(number as u32));
            let number = number.text();
            texts.push_all(&[" POMP_Task_resume(", prefix, number, "(), ", prefix, "t", number]);
            texts.push(");");
        }
    }

    fn is_scheduling_point(&self, index: usize) -> bool {
        let words = &self.lexed.directives[index].directive.words;
        let points = ["task", "taskwait", "taskyield", "taskgroup", "taskloop"];
        words.iter().any(|word| points.contains(&&*word.text))
    }

    /// A construct without events that may be a scheduling point.
    fn resume_alone(&mut self, index: usize) {
        let construct = &self.constructs[index];
        if construct.closed_by.is_some() || construct.muted {
            return;
        }
        let mut texts = Texts::default();
        let after = texts.part(|texts| self.resume(texts, index));
        if !after.is_empty() {
            self.place(index, &mut texts, Parts { after, ..Parts::default() });
        }
    }

    pub(super) fn note(&mut self, offset: usize, severity: Severity, message: String) {
        let line = self.positions.line(offset);
        self.outcome.diagnostics.push(Diagnostic { severity, line, message });
    }

    /// Says once of each name that it is not known.
    fn unknown(&mut self, found: &Found) {
        let name = found.directive.name();
        if self.unknown.insert(name.clone()) {
            let message = format!("`{name}` is not a directive that is known; it stays as it is");
            self.note(found.span.start, Severity::Warning, message);
        }
    }

    /// Says once per construct that what is inside cannot be measured.
    fn report_closed(&mut self, closed: Closed, found: &Found) {
        let (key, at, name) = match closed {
            Closed::Construct(index) => {
                let outer = &self.lexed.directives[index];
                (index, outer.span.start, outer.directive.name())
            }
            Closed::Device => (usize::MAX, found.span.start, "device code".to_owned()),
        };
        let hidden = self.may_be_left_out(closed, found);
        if self.reported.insert((key, hidden)) {
            let mut message =
                format!("no calls are possible inside `{name}`: constructs there are left alone");
            if hidden {
                message += "; where the preprocessor leaves that out, its text shows them";
            }
            let severity = if hidden { Severity::Hidden } else { Severity::Note };
            self.note(at, severity, message);
        }
    }
}
