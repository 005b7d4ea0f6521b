//! The transformations: where each construct's calls and directives go.
//!
//! Text is inserted in front of physical lines only (or at a `;`), in the order of events, so that
//! what belongs to an inner construct stays inside of what belongs to an outer one. Each group of
//! inserted lines ends with a line marker.

use super::close::Piece;
use super::declared::Declarations;
use super::directive::Parsed;
use super::events::Target;
use super::plan::{Facts, Plan, Plans};
use super::scan::{Kind, Statement};
use super::site::{Close, Event, Site};
use super::text::{self, Extra, Names, Writer};
use crate::Abi;
use crate::decimal::push_decimal;
use crate::directives::{Level, Shape};
use crate::edit::EditList;
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashSet};

/// Ranks of what is inserted at one offset: the end of a last line that has none, the lines (those
/// that must come in front of others a bit lower), the line marker behind them.
const LINE_END: i64 = 1;
const LINES: i64 = 1 << 40;
const MARKER: i64 = 1 << 41;

/// The rank of what comes behind everything else.
pub(super) const LAST: i64 = 1 << 42;

/// So much most constructs get at the most.
const EDITS_PER_CONSTRUCT: usize = 16;
const LINES_PER_CONSTRUCT: usize = 8;
const BYTES_PER_CONSTRUCT: usize = 1024;

/// Turns events into edits.
pub(super) struct Rewriter<'a> {
    /// Names that may be volatile, found at the first use.
    pub volatile: OnceCell<HashSet<Vec<u8>>>,
    /// Names of program units, collected at the first use.
    pub unit_names: OnceCell<HashSet<&'a [u8]>>,
    /// Whether there may be integers of 16 bytes, found at the first use.
    pub wide: OnceCell<bool>,
    /// What the units declare, found at the first use.
    pub declared: OnceCell<Vec<Declarations>>,
    pub source: &'a [u8],
    pub facts: Facts<'a>,
    pub plans: Plans,
    pub names: Names,
    pub writer: Writer,
    pub edits: EditList,
    /// The lines (by index) in front of which there are insertions.
    lines: Vec<usize>,
    /// The `;` (by offset) in place of which there are, each with the line that it is on.
    breaks: Vec<(usize, usize)>,
    /// How many insertions have come in front of the others at their place.
    fronts: i64,
    /// All labels, once one had to be inserted.
    pub labels: Option<HashSet<u32>>,
    /// The greatest label that may be free.
    pub next_label: u32,
    /// Lines of declarations, each with its unit.
    pub declarations: Vec<(usize, Vec<u8>)>,
    /// Numbers of the user regions that began last, by name in lower case.
    pub user_regions: BTreeMap<String, u32>,
}

/// Where lines can be inserted.
#[derive(Clone, Copy)]
enum Place {
    /// In front of the line with this index.
    Line(usize),
    /// In place of a `;`, given its offset and its line.
    Semicolon(usize, usize),
}

impl<'a> Rewriter<'a> {
    /// Nothing rewritten yet.
    pub fn new(
        source: &'a [u8],
        facts: Facts<'a>,
        plans: Plans,
        names: Names,
        writer: Writer,
    ) -> Rewriter<'a> {
        let count = facts.nest.sites.len();
        let mut edits = EditList::new();
        edits.reserve(count * EDITS_PER_CONSTRUCT, count * BYTES_PER_CONSTRUCT);
        Rewriter {
            volatile: OnceCell::new(),
            unit_names: OnceCell::new(),
            wide: OnceCell::new(),
            declared: OnceCell::new(),
            source,
            facts,
            plans,
            names,
            writer,
            edits,
            lines: Vec::with_capacity(count * LINES_PER_CONSTRUCT),
            breaks: Vec::new(),
            fronts: 0,
            declarations: Vec::new(),
            labels: None,
            next_label: 99_999,
            user_regions: BTreeMap::new(),
        }
    }

    /// Rewrites everything.
    pub fn run(&mut self) {
        let facts = self.facts;
        let functions = self.begin_functions();
        for event in &facts.nest.events {
            match *event {
                Event::Open(site) => self.open(site),
                Event::Close(site) => self.close(site),
                Event::SectionBegin(site, section) => self.section_begin(site, section),
                Event::SectionEnd(site, section) => self.section_end(site, section),
                Event::BodyBegin(site) => self.body_begin(site),
                Event::BodyEnd(site, statement) => self.body_end(site, statement),
                Event::Cycle(site, statement) => self.iteration_cycle(site, statement),
                Event::User(own) => self.user(own),
            }
        }
        self.end_functions(&functions);
        for &line in &facts.scan.pomp_only {
            let line = facts.scan.lines[line];
            let text = &self.source[line.start..line.end];
            let start =
                line.start + text.iter().position(|c| *c != b' ' && *c != b'\t').unwrap_or(0);
            self.edits.replace(start..start + 3, "   ");
        }
        self.rewrite_locks();
        self.declare_variables();
        self.insert_declarations();
        self.finish_insertions();
    }

    /// Puts a line marker behind the insertions at each place.
    fn finish_insertions(&mut self) {
        let lines = &self.facts.scan.lines;
        let places = self.facts.options.line_markers.then_some(self.facts.places);
        let mut inserted = std::mem::take(&mut self.lines);
        // Nearly sorted, which only the stable sort makes use of.
        inserted.sort();
        inserted.dedup();
        for line in inserted {
            let offset = lines.get(line).map_or(self.source.len(), |line| line.start);
            if offset == self.source.len() && !self.source.ends_with(b"\n") {
                self.edits.insert_ranked(offset, LINE_END, "\n");
            }
            if let Some(places) = places.filter(|_| line < lines.len()) {
                let from = self.edits.text().len();
                places.push_marker(self.edits.text(), line);
                self.edits.insert_written(offset, MARKER, from);
            }
        }
        let mut breaks = std::mem::take(&mut self.breaks);
        breaks.sort_by_key(|(offset, _)| *offset);
        breaks.dedup_by_key(|(offset, _)| *offset);
        for (offset, line) in breaks {
            self.edits.insert_ranked(offset, LINE_END, "\n");
            let from = self.edits.text().len();
            if let Some(places) = places {
                places.push_marker(self.edits.text(), line);
            }
            self.edits.text().extend_from_slice(self.writer.form.indent().as_bytes());
            self.edits.replace_by_written(offset..offset + 1, from);
        }
    }

    pub fn statement(&self, at: usize) -> Statement {
        self.facts.scan.statements[at]
    }

    /// Where `write` functions put their text. What is there already must stay.
    pub fn out(&mut self) -> &mut Vec<u8> {
        self.edits.text()
    }

    /// Inserts the lines that `write` writes, behind what is at this place or in front of it.
    fn insert(&mut self, place: Place, in_front: bool, write: impl FnOnce(&mut Self)) {
        let from = self.out().len();
        write(self);
        let offset = match place {
            Place::Line(line) => {
                self.lines.push(line);
                self.facts.scan.lines.get(line).map_or(self.source.len(), |line| line.start)
            }
            Place::Semicolon(offset, line) => {
                self.breaks.push((offset, line));
                offset
            }
        };
        self.fronts += i64::from(in_front);
        let rank = if in_front { LINES - self.fronts } else { LINES };
        self.edits.insert_written(offset, rank, from);
    }

    /// Inserts lines in front of a statement that begins its line.
    pub fn before(&mut self, statement: usize, write: impl FnOnce(&mut Self)) {
        self.insert(Place::Line(self.statement(statement).first), false, write);
    }

    /// Inserts lines in front of any statement.
    pub fn in_front(&mut self, statement: usize, write: impl FnOnce(&mut Self)) {
        let before = statement.checked_sub(1).map(|before| self.statement(before));
        let same_line = before.is_some_and(|before| {
            before.semicolon.is_some() && before.last == self.statement(statement).first
        });
        if same_line {
            self.after(statement - 1, write);
        } else {
            self.before(statement, write);
        }
    }

    /// Inserts lines behind a statement, past the alternatives of its preprocessor branch.
    pub fn after(&mut self, statement: usize, write: impl FnOnce(&mut Self)) {
        self.insert(self.right_behind(self.past_branches(statement)), false, write);
    }

    /// The same in front of everything else that is inserted there.
    pub fn first_after(&mut self, statement: usize, write: impl FnOnce(&mut Self)) {
        self.insert(self.right_behind(self.past_branches(statement)), true, write);
    }

    /// The same in front of a statement that begins its line.
    pub fn first_before(&mut self, statement: usize, write: impl FnOnce(&mut Self)) {
        self.insert(Place::Line(self.statement(statement).first), true, write);
    }

    /// Inserts lines behind a statement, in its preprocessor branch.
    pub fn after_in_branch(&mut self, statement: usize, write: impl FnOnce(&mut Self)) {
        self.insert(self.right_behind(statement), false, write);
    }

    /// The same in front of everything else that is inserted there.
    pub fn first_in_branch(&mut self, statement: usize, write: impl FnOnce(&mut Self)) {
        self.insert(self.right_behind(statement), true, write);
    }

    fn right_behind(&self, statement: usize) -> Place {
        let statement = self.statement(statement);
        match statement.semicolon {
            Some(semicolon) => Place::Semicolon(semicolon, statement.last),
            None => Place::Line(statement.last + 1),
        }
    }

    /// If the statement is the last one in a branch that has alternatives, their `#endif`.
    fn past_branches(&self, statement: usize) -> usize {
        let scan = self.facts.scan;
        let is_directive = matches!(scan.statements[statement].kind, Kind::Directive(_));
        let end = scan.groups.end_of(statement + 1).filter(|_| !is_directive);
        end.unwrap_or(statement)
    }

    /// Writes a statement.
    pub fn write_statement(&mut self, text: &str) {
        self.writer.statement(self.edits.text(), text);
    }

    /// Writes a call of the routine for an event of a region, with the ids that are in the
    /// variables of these kinds.
    pub fn call(&mut self, to: Target, event: text::Event, extras: &'static [Extra], ids: &[char]) {
        let start = self.begin_call(to, event, extras);
        let out = self.edits.text();
        for kind in ids {
            out.push(b',');
            self.names.push_local(out, *kind, to.number);
        }
        self.end_call(start);
    }

    /// The same with further arguments as text, which begins with a comma.
    pub fn call_with(
        &mut self,
        to: Target,
        event: text::Event,
        extras: &'static [Extra],
        more: &str,
    ) {
        let start = self.begin_call(to, event, extras);
        self.out().extend_from_slice(more.as_bytes());
        self.end_call(start);
    }

    fn begin_call(&mut self, to: Target, event: text::Event, extras: &'static [Extra]) -> usize {
        let call = self.names.call(event, extras);
        let out = self.edits.text();
        let start = self.writer.begin_statement(out);
        out.extend_from_slice(call.as_bytes());
        push_decimal(out, to.number);
        if let Some(unit) = to.external {
            let name = self.names.routine(event, Some(extras)).to_owned();
            self.declare_external(unit, &name);
        }
        start
    }

    fn end_call(&mut self, start: usize) {
        let out = self.edits.text();
        out.push(b')');
        self.writer.end_statement(out, start);
    }

    /// Writes a call; where `implicit none (external)` holds, the unit gets a declaration.
    pub fn call_routine(&mut self, name: &str, arguments: &str, external: Option<usize>) {
        self.write_statement(&format!("call {name}({arguments})"));
        if let Some(unit) = external {
            self.declare_external(unit, name);
        }
    }

    /// Declares a routine, where `implicit none (external)` holds.
    pub fn declare_external(&mut self, unit: usize, name: &str) {
        self.declare_statement(unit, &format!("external :: {name}"));
    }

    /// Adds lines to the declarations of a unit, once.
    pub fn declare(&mut self, unit: usize, lines: Vec<u8>) {
        self.declarations.push((unit, lines));
    }

    /// The same for a statement.
    pub fn declare_statement(&mut self, unit: usize, text: &str) {
        let mut lines = Vec::new();
        self.writer.statement(&mut lines, text);
        self.declare(unit, lines);
    }

    fn open(&mut self, id: usize) {
        let facts = self.facts;
        let site = &facts.nest.sites[id];
        let Some(plan) = self.plans.plans[id].clone() else {
            self.add_clauses(id, None);
            if site.close == Close::Itself && facts.parsed[site.directive].name == "taskyield" {
                self.after(site.opened, |this| this.write_resume(site));
            }
            return;
        };
        self.before(site.opened, |this| this.write_before(site, &plan));
        if plan.split.is_some() {
            self.replace_split(id, &plan);
        } else {
            self.add_clauses(id, Some(&plan));
        }
        self.after(site.opened, |this| {
            if site.close == Close::Itself {
                this.write_resume(site);
            }
            this.write_after(site, &plan);
        });
    }

    /// What goes in front of the opening directive.
    fn write_before(&mut self, site: &Site, plan: &Plan) {
        let number = plan.number;
        if site.conditional {
            let guard = self.guard(number);
            self.out().extend_from_slice(format!("#define {guard}\n").as_bytes());
        }
        self.common_if(site, plan);
        let inside = if plan.whole { plan.levels.len() } else { 1 };
        plan.levels[..inside].iter().for_each(|level| self.enter(Target::new(site, number), level));
    }

    /// The macro that tells whether a conditional construct is there.
    pub fn guard(&self, number: u32) -> String {
        self.names.global(&format!("b{number}"))
    }

    /// What goes behind the opening directive of the innermost level.
    fn write_after(&mut self, site: &Site, plan: &Plan) {
        let Some(inner) = plan.levels.last().filter(|_| !plan.whole) else { return };
        let target = Target::new(site, plan.number);
        match inner.level.shape() {
            Shape::Alone => self.exit(target, inner),
            _ => self.begin(target, inner),
        }
    }

    fn close(&mut self, id: usize) {
        let facts = self.facts;
        let site = &facts.nest.sites[id];
        match (self.plans.plans[id].clone(), site.close) {
            (Some(plan), Close::Directive(end)) => self.close_at(site, &plan, end),
            (Some(plan), Close::After(end)) => self.close_behind(site, &plan, end),
            (None, Close::Directive(end) | Close::After(end)) if self.ends_at_point(site) => {
                self.after(end, |this| this.write_resume(site));
            }
            _ => {}
        }
    }

    /// Whether the end of this construct is a scheduling point.
    fn ends_at_point(&self, site: &Site) -> bool {
        let name = self.facts.parsed[site.directive].name.as_str();
        matches!(name, "task" | "taskgroup") || name.contains("taskloop")
    }

    /// The user's END stays, for the outermost level; everything else goes around it.
    fn close_at(&mut self, site: &Site, plan: &Plan, end: usize) {
        let pieces = self.closing(site, plan);
        let last = pieces.iter().rposition(|piece| piece.is_end()).unwrap_or(0);
        self.before(end, |this| this.write_pieces(site, plan, &pieces[..last]));
        self.mend_end(site, plan, end);
        self.after(end, |this| this.write_rest(site, plan, &pieces[last + 1..]));
    }

    /// What follows the END of a construct: at a scheduling point its untied task is named first,
    /// because the ends of regions must find it.
    fn write_rest(&mut self, site: &Site, plan: &Plan, pieces: &[Piece]) {
        if self.ends_at_point(site) {
            self.write_resume(site);
        }
        self.write_pieces(site, plan, pieces);
    }

    /// The user's END becomes that of the outermost level, or gets a `nowait`.
    fn mend_end(&mut self, site: &Site, plan: &Plan, end: usize) {
        let Kind::Directive(directive) = self.statement(end).kind else { return };
        let facts = self.facts;
        let (text, parsed): (_, &Parsed) =
            (&facts.scan.directives[directive], &facts.parsed[directive]);
        if plan.split.is_some() {
            let words = parsed.words_span();
            let range = text.at.of(words.start)..text.at.of(words.end - 1) + 1;
            let outermost = plan.levels[0].words(&facts.parsed[site.directive].name);
            self.edits.replace(range, ["end ", outermost].concat());
        } else if plan.barrier
            && let Some(last) = text.at.last()
        {
            self.edits.insert(last + 1, " nowait");
        }
    }

    /// Without an END everything goes behind the loop or BLOCK.
    fn close_behind(&mut self, site: &Site, plan: &Plan, end: usize) {
        let mut pieces = self.closing(site, plan);
        // An atomic needs no END behind one statement, and ours would only be one more line. A
        // metadirective has no END of what it becomes.
        let endless = plan.levels[0].level == Level::Atomic
            || self.facts.parsed[site.directive].metadirective.is_some();
        pieces.retain(|piece| !(endless && piece.is_end()));
        self.after(end, |this| {
            let guard = site.conditional.then(|| this.guard(plan.number));
            if let Some(guard) = &guard {
                let open = format!("#ifdef {guard}\n#undef {guard}\n");
                this.out().extend_from_slice(open.as_bytes());
            }
            let end = pieces.iter().rposition(|piece| piece.is_end()).map_or(0, |last| last + 1);
            this.write_pieces(site, plan, &pieces[..end]);
            this.write_rest(site, plan, &pieces[end..]);
            if guard.is_some() {
                this.out().extend_from_slice(b"#endif\n");
            }
        });
    }

    fn section_begin(&mut self, site: usize, section: usize) {
        let facts = self.facts;
        let opened = facts.nest.sites[site].sections[section].opened;
        let Some(number) = self.section(site, section) else { return };
        let to = Target::new(&facts.nest.sites[site], number);
        self.after(opened, |this| this.call(to, ("Section", "begin"), &[], &[]));
    }

    fn section_end(&mut self, site: usize, section: usize) {
        let facts = self.facts;
        let closed = facts.nest.sites[site].sections[section].closed;
        let Some(number) = self.section(site, section) else { return };
        let to = Target::new(&facts.nest.sites[site], number);
        self.before(closed, |this| this.call(to, ("Section", "end"), &[], &[]));
    }

    fn section(&self, site: usize, section: usize) -> Option<u32> {
        self.plans.plans[site].as_ref().and_then(|plan| plan.sections.get(section).copied())
    }

    /// An untied task may go on at another thread after each scheduling point in its text.
    fn write_resume(&mut self, scheduling_point: &Site) {
        let task = self.untied_task_around(scheduling_point);
        let plan = task.and_then(|task| self.plans.plans[task].as_ref());
        if let Some(number) = plan.map(|plan| plan.number) {
            let to = Target::new(scheduling_point, number);
            self.with_id(to, ("Task", "resume"), Extra::In);
        }
    }

    /// The untied task in whose text the construct is.
    fn untied_task_around(&self, site: &Site) -> Option<usize> {
        let facts = self.facts;
        if facts.options.abi == Abi::Pomp2 {
            return None;
        }
        let mut parent = site.parent;
        while let Some(id) = parent {
            let site = &facts.nest.sites[id];
            let parsed = &facts.parsed[site.directive];
            let level = parsed.levels().first();
            if level == Some(&Level::Task) {
                return parsed.directive.has("untied").then_some(id);
            }
            let other = parsed.name == "metadirective" || parsed.name.starts_with("te");
            if level == Some(&Level::Parallel) || other {
                return None;
            }
            parent = site.parent;
        }
        None
    }
}
