//! The transformations: where each construct's calls and directives go.
//!
//! Text is inserted in front of physical lines only (or at a `;`), in the order of events, so that
//! what belongs to an inner construct stays inside of what belongs to an outer one. Each group of
//! inserted lines ends with a line marker.

use super::close::Piece;
use super::directive::Parsed;
use super::events::Target;
use super::plan::{Facts, Plan, Plans};
use super::scan::{Kind, Statement};
use super::site::{Close, Event, Site};
use super::text::{Extra, Names, SHORT, Writer};
use crate::Abi;
use crate::directives::{Level, Shape};
use crate::edit::EditList;
use std::collections::{BTreeMap, BTreeSet, HashSet};

const CALL: &str = "call ";

/// Turns events into edits.
pub(super) struct Rewriter<'a> {
    pub source: &'a [u8],
    pub facts: Facts<'a>,
    pub plans: Plans,
    pub names: Names,
    pub writer: Writer,
    pub edits: EditList,
    /// Text to insert, by offset of the start of a line.
    inserts: BTreeMap<usize, Vec<u8>>,
    /// Text to insert in place of a `;`, with the line it is on.
    breaks: BTreeMap<usize, (usize, Vec<u8>)>,
    /// All labels, once one had to be inserted.
    pub labels: Option<HashSet<u32>>,
    /// The greatest label that may be free.
    pub next_label: u32,
    /// Lines of declarations by unit.
    pub declarations: BTreeMap<usize, BTreeSet<Vec<u8>>>,
    /// Numbers of the user regions that began last, by name.
    pub user_regions: BTreeMap<String, u32>,
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
        Rewriter {
            source,
            facts,
            plans,
            names,
            writer,
            edits: EditList::new(),
            inserts: BTreeMap::new(),
            breaks: BTreeMap::new(),
            declarations: BTreeMap::new(),
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
        self.flush();
    }

    /// Turns the collected insertions into edits, each with its line marker.
    fn flush(&mut self) {
        let lines = &self.facts.scan.lines;
        for (offset, mut text) in std::mem::take(&mut self.inserts) {
            let line = lines.partition_point(|line| line.start < offset);
            if self.facts.options.line_markers && line < lines.len() {
                text.extend_from_slice(self.facts.places.marker_for(line).as_bytes());
            }
            if offset == self.source.len() && !self.source.ends_with(b"\n") {
                text.insert(0, b'\n');
            }
            self.edits.insert(offset, text);
        }
        for (offset, (line, text)) in std::mem::take(&mut self.breaks) {
            let mut all = b"\n".to_vec();
            all.extend_from_slice(&text);
            if self.facts.options.line_markers {
                all.extend_from_slice(self.facts.places.marker_for(line).as_bytes());
            }
            all.extend_from_slice(self.writer.form.indent().as_bytes());
            self.edits.replace(offset..offset + 1, all);
        }
    }

    pub fn statement(&self, at: usize) -> Statement {
        self.facts.scan.statements[at]
    }

    /// Inserts lines in front of a statement that begins its line.
    pub fn before(&mut self, statement: usize, text: &[u8]) {
        let line = self.facts.scan.lines[self.statement(statement).first];
        self.inserts.entry(line.start).or_default().extend_from_slice(text);
    }

    /// Inserts lines in front of any statement.
    pub fn in_front(&mut self, statement: usize, text: &[u8]) {
        let before = statement.checked_sub(1).map(|before| self.statement(before));
        let same_line = before.is_some_and(|before| {
            before.semicolon.is_some() && before.last == self.statement(statement).first
        });
        if same_line {
            self.after(statement - 1, text);
        } else {
            self.before(statement, text);
        }
    }

    /// Inserts lines behind a statement, past the alternatives of its preprocessor branch.
    pub fn after(&mut self, statement: usize, text: &[u8]) {
        self.text_behind(statement).extend_from_slice(text);
    }

    /// The same in front of everything else that is inserted there.
    pub fn first_after(&mut self, statement: usize, text: &[u8]) {
        self.text_behind(statement).splice(0..0, text.iter().copied());
    }

    /// The same in front of a statement that begins its line.
    pub fn first_before(&mut self, statement: usize, text: &[u8]) {
        let line = self.facts.scan.lines[self.statement(statement).first];
        self.inserts.entry(line.start).or_default().splice(0..0, text.iter().copied());
    }

    fn text_behind(&mut self, statement: usize) -> &mut Vec<u8> {
        let past = self.past_branches(statement);
        self.text_right_behind(past)
    }

    /// Text behind a statement, in its preprocessor branch.
    pub fn text_right_behind(&mut self, statement: usize) -> &mut Vec<u8> {
        let statement = self.statement(statement);
        if let Some(semicolon) = statement.semicolon {
            return &mut self.breaks.entry(semicolon).or_insert((statement.last, Vec::new())).1;
        }
        let next = self.facts.scan.lines[statement.last].next;
        self.inserts.entry(next).or_default()
    }

    /// If the statement is the last one in a branch that has alternatives, their `#endif`.
    fn past_branches(&self, statement: usize) -> usize {
        let scan = self.facts.scan;
        let is_directive = matches!(scan.statements[statement].kind, Kind::Directive(_));
        let end = scan.groups.end_of(statement + 1).filter(|_| !is_directive);
        end.unwrap_or(statement)
    }

    /// Writes a call of the routine for an event of a region. `more` has a comma in front of each
    /// further argument.
    pub fn call(
        &mut self,
        out: &mut Vec<u8>,
        to: Target,
        event: (&str, &str),
        extras: &'static [Extra],
        more: &str,
    ) {
        let mut text = String::with_capacity(SHORT);
        text.push_str(CALL);
        self.names.push_routine(&mut text, event, Some(extras));
        let end = text.len();
        text.push('(');
        text.push_str(&to.number.to_string());
        text.push_str(more);
        text.push(')');
        self.writer.statement(out, &text);
        self.declare_external(&text[CALL.len()..end], to.external);
    }

    /// Writes a call; where `implicit none (external)` holds, the unit gets a declaration.
    pub fn call_routine(
        &mut self,
        out: &mut Vec<u8>,
        name: &str,
        arguments: &str,
        external: Option<usize>,
    ) {
        self.writer.statement(out, &format!("{CALL}{name}({arguments})"));
        self.declare_external(name, external);
    }

    fn declare_external(&mut self, name: &str, external: Option<usize>) {
        if let Some(unit) = external {
            self.declare_statement(unit, &format!("external :: {name}"));
        }
    }

    /// Adds lines to the declarations of a unit, once.
    pub fn declare(&mut self, unit: usize, lines: Vec<u8>) {
        self.declarations.entry(unit).or_default().insert(lines);
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
                self.resume(site);
            }
            return;
        };
        let before = self.text_before(site, &plan);
        self.before(site.opened, &before);
        if plan.split.is_some() {
            self.replace_split(id, &plan);
        } else {
            self.add_clauses(id, Some(&plan));
        }
        let after = self.text_after(site, &plan);
        self.after(site.opened, &after);
        if site.close == Close::Itself {
            self.resume(site);
        }
    }

    /// What goes in front of the opening directive.
    fn text_before(&mut self, site: &Site, plan: &Plan) -> Vec<u8> {
        let mut out = Vec::new();
        let number = plan.number;
        if site.conditional {
            let guard = self.guard(number);
            out.extend_from_slice(format!("#define {guard}\n").as_bytes());
        }
        self.common_if(&mut out, site, plan);
        self.enter(&mut out, Target::new(site, number), &plan.levels[0]);
        out
    }

    /// The macro that tells whether a conditional construct is there.
    pub fn guard(&self, number: u32) -> String {
        self.names.global(&format!("b{number}"))
    }

    /// What goes behind the opening directive of the innermost level.
    fn text_after(&mut self, site: &Site, plan: &Plan) -> Vec<u8> {
        let mut out = Vec::new();
        let Some(inner) = plan.levels.last().filter(|_| !plan.whole) else { return out };
        let target = Target::new(site, plan.number);
        match inner.level.shape() {
            Shape::Alone => self.exit(&mut out, target, inner),
            _ => self.begin(&mut out, target, inner),
        }
        out
    }

    fn close(&mut self, id: usize) {
        let facts = self.facts;
        let site = &facts.nest.sites[id];
        if let Some(plan) = self.plans.plans[id].clone() {
            let pieces = self.closing(site, &plan);
            match site.close {
                Close::Directive(end) => self.close_at(&plan, end, &pieces),
                Close::After(end) => self.close_behind(site, &plan, end, &pieces),
                Close::Open | Close::Itself | Close::Nowhere => {}
            }
        }
        let name = facts.parsed[site.directive].name.as_str();
        if matches!(name, "task" | "taskgroup") || name.contains("taskloop") {
            self.resume(site);
        }
    }

    /// The user's END stays, for the outermost level; everything else goes around it.
    fn close_at(&mut self, plan: &Plan, end: usize, pieces: &[Piece]) {
        let last = pieces.iter().rposition(|piece| matches!(piece, Piece::End(..))).unwrap_or(0);
        let before = self.render(&pieces[..last]);
        let after = self.render(&pieces[last + 1..]);
        self.before(end, &before);
        self.after(end, &after);
        let Kind::Directive(directive) = self.statement(end).kind else { return };
        let facts = self.facts;
        let (text, parsed): (_, &Parsed) =
            (&facts.scan.directives[directive], &facts.parsed[directive]);
        if plan.split.is_some() {
            let words = parsed.words_span();
            let range = text.at[words.start]..text.at[words.end - 1] + 1;
            self.edits.replace(range, format!("end {}", plan.levels[0].words));
        } else if plan.barrier
            && let Some(last) = text.at.last()
        {
            self.edits.insert(last + 1, " nowait");
        }
    }

    /// Without an END everything goes behind the loop or BLOCK.
    fn close_behind(&mut self, site: &Site, plan: &Plan, end: usize, pieces: &[Piece]) {
        // An atomic needs no END behind one statement, and ours would only be one more line.
        let atomic = plan.levels[0].level == Level::Atomic;
        let pieces: Vec<Piece> = pieces
            .iter()
            .filter(|piece| !(atomic && matches!(piece, Piece::End(..))))
            .cloned()
            .collect();
        let mut text = self.render(&pieces);
        if site.conditional {
            let guard = self.guard(plan.number);
            let open = format!("#ifdef {guard}\n#undef {guard}\n");
            text = [open.as_bytes(), &text, b"#endif\n"].concat();
        }
        self.after(end, &text);
    }

    fn section_begin(&mut self, site: usize, section: usize) {
        let facts = self.facts;
        let (opened, number) =
            (facts.nest.sites[site].sections[section].opened, self.section(site, section));
        let Some(number) = number else { return };
        let mut out = Vec::new();
        let to = Target::new(&facts.nest.sites[site], number);
        self.call(&mut out, to, ("Section", "begin"), &[], "");
        self.after(opened, &out);
    }

    fn section_end(&mut self, site: usize, section: usize) {
        let facts = self.facts;
        let (closed, number) =
            (facts.nest.sites[site].sections[section].closed, self.section(site, section));
        let Some(number) = number else { return };
        let mut out = Vec::new();
        let to = Target::new(&facts.nest.sites[site], number);
        self.call(&mut out, to, ("Section", "end"), &[], "");
        self.before(closed, &out);
    }

    fn section(&self, site: usize, section: usize) -> Option<u32> {
        self.plans.plans[site].as_ref().and_then(|plan| plan.sections.get(section).copied())
    }

    /// An untied task may go on on another thread behind each scheduling point in its text.
    fn resume(&mut self, scheduling_point: &Site) {
        let facts = self.facts;
        if facts.options.abi == Abi::Pomp2 {
            return;
        }
        let mut parent = scheduling_point.parent;
        while let Some(id) = parent {
            let site = &facts.nest.sites[id];
            let parsed = &facts.parsed[site.directive];
            let level = parsed.levels().first();
            if level == Some(&Level::Task) {
                if parsed.directive.has("untied") {
                    self.resume_task(id, scheduling_point);
                }
                return;
            }
            let other = parsed.name == "metadirective" || parsed.name.starts_with("te");
            if level == Some(&Level::Parallel) || other {
                return;
            }
            parent = site.parent;
        }
    }

    fn resume_task(&mut self, task: usize, scheduling_point: &Site) {
        let Some(number) = self.plans.plans[task].as_ref().map(|plan| plan.number) else { return };
        let behind = match scheduling_point.close {
            Close::Directive(at) | Close::After(at) => at,
            Close::Itself => scheduling_point.opened,
            Close::Open | Close::Nowhere => return,
        };
        let mut out = Vec::new();
        let to = Target::new(scheduling_point, number);
        self.with_id(&mut out, to, ("Task", "resume"), Extra::In);
        self.after(behind, &out);
    }
}
