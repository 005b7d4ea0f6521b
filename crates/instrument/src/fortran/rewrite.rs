//! The transformations: where each construct's calls and directives go.
//!
//! Text is inserted in front of physical lines only (or at a `;`), in the order of events, so that
//! what belongs to an inner construct stays inside of what belongs to an outer one. Each group of
//! inserted lines ends with a line marker.

use super::close::Piece;
use super::directive::Parsed;
use super::nest::{Close, Event, Site};
use super::plan::{Facts, Plan, Plans};
use super::scan::{Cpp, Kind, Statement};
use super::text::{Extra, Names, Writer, pieces};
use crate::Region;
use crate::directives::{self, Level, User};
use crate::edit::EditList;
use std::collections::BTreeMap;

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
    /// User regions by name, with their numbers.
    user_regions: Vec<(String, u32)>,
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
        let (edits, inserts, breaks) = Default::default();
        let user_regions = Vec::new();
        Rewriter { source, facts, plans, names, writer, edits, inserts, breaks, user_regions }
    }

    /// Rewrites everything.
    pub fn run(&mut self) {
        let facts = self.facts;
        self.declarations();
        for event in &facts.nest.events {
            match *event {
                Event::Open(site) => self.open(site),
                Event::Close(site) => self.close(site),
                Event::SectionBegin(site, section) => self.section_begin(site, section),
                Event::SectionEnd(site, section) => self.section_end(site, section),
                Event::User(statement, external) => self.user(statement, external),
            }
        }
        for &line in &facts.scan.pomp_only {
            let line = facts.scan.lines[line];
            let text = &self.source[line.start..line.end];
            let start =
                line.start + text.iter().position(|c| *c != b' ' && *c != b'\t').unwrap_or(0);
            self.edits.replace(start..start + 3, "   ");
        }
        self.flush();
    }

    /// Declares the variables of teams and tasks at the beginning of their procedures. (Not in a
    /// BLOCK around the construct: there gfortran makes a new variable of an implicitly typed name,
    /// knows no common block and calls no function that only has a type.)
    fn declarations(&mut self) {
        for (site, plan) in self.facts.nest.sites.iter().zip(self.plans.plans.clone()) {
            let Some(plan) = plan.filter(|_| site.alias.is_none()) else { continue };
            let mut out = Vec::new();
            match plan.levels[0].level {
                Level::Parallel => self.declare(&mut out, 'p', plan.number),
                Level::Task if plan.levels[0].events => self.declare(&mut out, 't', plan.number),
                _ => continue,
            }
            if plan.split.as_ref().is_some_and(|split| split.common_if.is_some()) {
                let variable = self.names.local('c', plan.number);
                self.writer.statement(&mut out, &format!("logical :: {variable}"));
            }
            let unit = self.facts.nest.units[site.unit];
            match unit.preamble {
                Some(preamble) => self.after(self.past_conditional(unit.first, preamble), &out),
                None => self.before(unit.first, &out),
            }
        }
    }

    fn declare(&self, out: &mut Vec<u8>, kind: char, number: u32) {
        let variable = self.names.local(kind, number);
        self.writer.statement(out, &format!("integer(8) :: {variable}"));
    }

    /// The `#endif` behind a statement that is in a preprocessor branch which begins behind `from`.
    fn past_conditional(&self, from: usize, statement: usize) -> usize {
        let statements = &self.facts.scan.statements;
        let mut depth = 0;
        for (at, next) in statements.iter().enumerate().skip(from) {
            match next.kind {
                Kind::Cpp(Cpp::If(_)) => depth += 1,
                Kind::Cpp(Cpp::Endif) => depth -= 1,
                _ => {}
            }
            if at >= statement && depth <= 0 {
                return at;
            }
        }
        statement
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

    fn statement(&self, at: usize) -> Statement {
        self.facts.scan.statements[at]
    }

    /// Inserts lines in front of a statement that begins its line.
    pub fn before(&mut self, statement: usize, text: &[u8]) {
        let line = self.facts.scan.lines[self.statement(statement).first];
        self.inserts.entry(line.start).or_default().extend_from_slice(text);
    }

    /// Inserts lines behind a statement, past the alternatives of its preprocessor branch.
    pub fn after(&mut self, statement: usize, text: &[u8]) {
        let statement = self.statement(self.past_branches(statement));
        if let Some(semicolon) = statement.semicolon {
            let entry = self.breaks.entry(semicolon).or_insert((statement.last, Vec::new()));
            entry.1.extend_from_slice(text);
            return;
        }
        let next = self.facts.scan.lines[statement.last].next;
        self.inserts.entry(next).or_default().extend_from_slice(text);
    }

    /// If the statement is the last one in a branch that has alternatives, their `#endif`.
    fn past_branches(&self, statement: usize) -> usize {
        let statements = &self.facts.scan.statements;
        let is_else = |at: usize| {
            statements.get(at).is_some_and(|statement| statement.kind == Kind::Cpp(Cpp::Else))
        };
        let is_directive = matches!(statements[statement].kind, Kind::Directive(_));
        if is_directive || !is_else(statement + 1) {
            return statement;
        }
        let mut depth = 1;
        for (at, statement) in statements.iter().enumerate().skip(statement + 2) {
            match statement.kind {
                Kind::Cpp(Cpp::If(_)) => depth += 1,
                Kind::Cpp(Cpp::Endif) => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return at;
            }
        }
        statement
    }

    /// Writes a call of the routine for an event of a region.
    pub fn call(&mut self, out: &mut Vec<u8>, stem: &str, what: &str, number: u32, external: bool) {
        let name = self.names.routine(stem, what, Extra::None, true);
        self.writer.call(out, &name, &number.to_string(), external);
    }

    /// The same with the number of a team or task.
    pub fn call_with(
        &mut self,
        out: &mut Vec<u8>,
        event: (&str, &str, Extra),
        number: u32,
        external: bool,
    ) {
        let (stem, what, extra) = event;
        let name = self.names.routine(stem, what, extra, true);
        let kind = if stem == "Parallel" { 'p' } else { 't' };
        let arguments = format!("{number},{}", self.names.local(kind, number));
        self.writer.call(out, &name, &arguments, external);
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
        let (number, external) = (plan.number, site.external);
        if site.conditional {
            let guard = self.guard(number);
            out.extend_from_slice(format!("#define {guard}\n").as_bytes());
        }
        let outer = &plan.levels[0];
        match outer.level {
            Level::Parallel => {
                self.common_if(&mut out, site, plan);
                self.call_with(&mut out, ("Parallel", "fork", Extra::Out), number, external);
            }
            Level::Task if outer.events => {
                self.call_with(&mut out, ("Task", "create_begin", Extra::Out), number, external);
            }
            Level::Master => {}
            level if outer.events => {
                if let Some(stem) = level.stem(true) {
                    self.call(&mut out, stem, "enter", number, external);
                }
            }
            _ => {}
        }
        out
    }

    /// The macro that tells whether a conditional construct is there.
    pub fn guard(&self, number: u32) -> String {
        self.names.global(&format!("b{number}"))
    }

    /// An `if` that holds for two levels is evaluated once.
    fn common_if(&mut self, out: &mut Vec<u8>, site: &Site, plan: &Plan) {
        let Some(index) = plan.split.as_ref().and_then(|split| split.common_if) else { return };
        let clause = &self.facts.parsed[site.directive].directive.clauses[index];
        let Some(argument) = clause.argument.clone() else { return };
        let text = &self.facts.scan.directives[site.directive].text[argument];
        let text = String::from_utf8_lossy(text).into_owned();
        let variable = self.names.local('c', plan.number);
        self.writer.statement(out, &format!("{variable} = {text}"));
    }

    /// What goes behind the opening directive of the innermost level.
    fn text_after(&mut self, site: &Site, plan: &Plan) -> Vec<u8> {
        let mut out = Vec::new();
        let (number, external) = (plan.number, site.external);
        let Some(inner) = plan.levels.last().filter(|_| !plan.whole) else { return out };
        if !inner.events {
            return out;
        }
        match inner.level {
            Level::Parallel => {
                self.call_with(&mut out, ("Parallel", "begin", Extra::In), number, external);
            }
            Level::Task => {
                self.call_with(&mut out, ("Task", "begin", Extra::In), number, external);
            }
            Level::Single | Level::Master | Level::Critical => {
                let stem = inner.level.stem(true).unwrap_or_default();
                self.call(&mut out, stem, "begin", number, external);
            }
            Level::Barrier | Level::Taskwait => {
                let stem = inner.level.stem(true).unwrap_or_default();
                self.call(&mut out, stem, "exit", number, external);
            }
            _ => {}
        }
        out
    }

    /// Adds the variables of a team or task to the user's directive.
    fn add_clauses(&mut self, id: usize, plan: Option<&Plan>) {
        let site = &self.facts.nest.sites[id];
        let kind = plan.and_then(|plan| match plan.levels[0].level {
            Level::Parallel if !plan.whole => Some(('p', plan.number)),
            Level::Task => Some(('t', plan.number)),
            _ => None,
        });
        let mut clause = String::new();
        if let Some((kind, number)) = kind {
            clause += &format!(" firstprivate({})", self.names.local(kind, number));
        }
        for private in self.private_names(id) {
            clause += &format!(" private({private})");
        }
        if clause.is_empty() {
            return;
        }
        let facts = self.facts;
        let text = &facts.scan.directives[site.directive];
        let words = facts.parsed[site.directive].words_span();
        let end = text.at[words.end - 1] + 1;
        let rest = text.text[words.end..].iter().position(|c| *c != b' ' && *c != b'\t');
        let same_line = rest.is_some_and(|rest| {
            let next = text.at[words.end + rest];
            !self.source[end..next].contains(&b'\n')
        });
        if !same_line {
            self.edits.insert(end, clause);
            return;
        }
        let line = self.line_of(end);
        let marker =
            if facts.options.line_markers { facts.places.marker_for(line) } else { String::new() };
        let column = end - facts.scan.lines[line].start;
        let tail = if self.writer.form.is_fixed() {
            // The user's clauses keep their columns.
            format!("{clause}\n{marker}!$omp&{}", " ".repeat(column.saturating_sub(6)))
        } else {
            format!("{clause} &\n{marker}!$omp &")
        };
        self.edits.insert(end, tail);
    }

    /// Variables of constructs inside.
    fn private_names(&self, id: usize) -> Vec<String> {
        let id = self.facts.nest.sites[id].alias.unwrap_or(id);
        let mut names = Vec::new();
        for plan in
            self.plans.private[id].iter().filter_map(|site| self.plans.plans[*site].as_ref())
        {
            let kind = if plan.levels[0].level == Level::Task { 't' } else { 'p' };
            names.push(self.names.local(kind, plan.number));
            if plan.split.as_ref().is_some_and(|split| split.common_if.is_some()) {
                names.push(self.names.local('c', plan.number));
            }
        }
        names
    }

    fn line_of(&self, offset: usize) -> usize {
        self.facts.scan.lines.partition_point(|line| line.next <= offset)
    }

    /// Replaces a combined directive by one directive per level, with the calls between them.
    fn replace_split(&mut self, id: usize, plan: &Plan) {
        let facts = self.facts;
        let site = &facts.nest.sites[id];
        let Some(split) = &plan.split else { return };
        let statement = self.statement(site.opened);
        let marker = facts.places.marker_for(statement.first);
        let mut out = Vec::new();
        for (index, level) in plan.levels.iter().enumerate() {
            if index > 0 {
                self.between(&mut out, site, plan, index);
                if facts.options.line_markers {
                    out.extend_from_slice(marker.as_bytes());
                }
            }
            let clauses = self.clauses_of(id, plan, index);
            self.writer.directive(&mut out, &level.words, &clauses);
        }
        debug_assert_eq!(split.levels.len(), plan.levels.len());
        let lines = &facts.scan.lines;
        let range = lines[statement.first].start..lines[statement.last].next;
        self.edits.replace(range, out);
    }

    /// The calls between the directives of level `index - 1` and `index`.
    fn between(&mut self, out: &mut Vec<u8>, site: &Site, plan: &Plan, index: usize) {
        let (number, external) = (plan.number, site.external);
        let (outer, inner) = (&plan.levels[index - 1], &plan.levels[index]);
        match outer.level {
            Level::Parallel => {
                self.call_with(out, ("Parallel", "begin", Extra::In), number, external);
            }
            Level::Master if outer.events => self.call(out, "Master", "begin", number, external),
            _ => {}
        }
        if let Some(stem) = inner.level.stem(true).filter(|_| inner.level != Level::Master)
            && inner.events
        {
            self.call(out, stem, "enter", number, external);
        }
    }

    /// The clauses of one level.
    fn clauses_of(&self, id: usize, plan: &Plan, index: usize) -> Vec<Vec<String>> {
        let site = &self.facts.nest.sites[id];
        let Some(split) = &plan.split else { return Vec::new() };
        let text = &self.facts.scan.directives[site.directive];
        let directive = &self.facts.parsed[site.directive].directive;
        let mut clauses = Vec::new();
        let condition = self.names.local('c', plan.number);
        if index == 0 {
            let variable = self.names.local('p', plan.number);
            clauses.push(vec![format!("firstprivate({variable})")]);
            let private = self.private_names(id);
            clauses.extend(private.iter().map(|name| vec![format!("private({name})")]));
            if split.common_if.is_some() {
                clauses.push(vec![format!("firstprivate({condition})")]);
            }
            clauses.extend(split.shared.iter().map(|name| vec![format!("shared({name})")]));
        }
        for &clause in &split.levels[index].1 {
            if split.common_if == Some(clause) {
                clauses.push(vec![format!("if({condition})")]);
            } else {
                clauses.push(pieces(text, directive.clauses[clause].span.clone()));
            }
        }
        clauses
    }

    fn close(&mut self, id: usize) {
        let facts = self.facts;
        let site = &facts.nest.sites[id];
        if let Some(plan) = self.plans.plans[id].clone() {
            let pieces = self.closing(site, &plan);
            match site.close {
                Close::Directive(end) => self.close_at(site, &plan, end, &pieces),
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
    fn close_at(&mut self, site: &Site, plan: &Plan, end: usize, pieces: &[Piece]) {
        let last = pieces.iter().rposition(|piece| matches!(piece, Piece::End(..))).unwrap_or(0);
        let before = self.render(site, &pieces[..last]);
        let after = self.render(site, &pieces[last + 1..]);
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
        let mut text = self.render(site, pieces);
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
        self.call(&mut out, "Section", "begin", number, facts.nest.sites[site].external);
        self.after(opened, &out);
    }

    fn section_end(&mut self, site: usize, section: usize) {
        let facts = self.facts;
        let (closed, number) =
            (facts.nest.sites[site].sections[section].closed, self.section(site, section));
        let Some(number) = number else { return };
        let mut out = Vec::new();
        self.call(&mut out, "Section", "end", number, facts.nest.sites[site].external);
        self.before(closed, &out);
    }

    fn section(&self, site: usize, section: usize) -> Option<u32> {
        self.plans.plans[site].as_ref().and_then(|plan| plan.sections.get(section).copied())
    }

    /// An untied task may go on on another thread behind each scheduling point in its text.
    fn resume(&mut self, scheduling_point: &Site) {
        let facts = self.facts;
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
            if level == Some(&Level::Parallel) || parsed.name.starts_with("te") {
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
        let event = ("Task", "resume", Extra::In);
        self.call_with(&mut out, event, number, scheduling_point.external);
        self.after(behind, &out);
    }

    fn user(&mut self, statement: usize, external: bool) {
        let facts = self.facts;
        let Kind::Directive(directive) = self.statement(statement).kind else { return };
        let directives::Kind::User(user) = &facts.parsed[directive].kind else { return };
        self.disarm(statement);
        self.plans.found += 1;
        self.plans.instrumented += 1;
        let mut out = Vec::new();
        match user {
            User::Suspend | User::Resume => {}
            User::Init => self.control(&mut out, "Init", external),
            User::Finalize => self.control(&mut out, "Finalize", external),
            User::On => self.control(&mut out, "On", external),
            User::Off => self.control(&mut out, "Off", external),
            _ if facts.options.disabled.contains("region") => {}
            User::Begin(name) => {
                let lines = facts.lines(statement);
                let mut region = Region::new("region", lines, lines);
                region.sub_name.clone_from(name);
                let first = facts.scan.statements[statement].first;
                region.file = facts.places.other_file(first).map(str::to_owned);
                let number = self.plans.push(region);
                self.user_regions.push((name.clone(), number));
                self.call(&mut out, "", "begin", number, external);
            }
            User::End(name) | User::AlternativeEnd(name) => {
                let found = self.user_regions.iter().rev().find(|(other, _)| other == name);
                if let Some(&(_, number)) = found {
                    self.plans.regions[number as usize - 1].end = facts.lines(statement);
                    self.call(&mut out, "", "end", number, external);
                }
            }
        }
        self.after(statement, &out);
    }

    fn control(&mut self, out: &mut Vec<u8>, what: &str, external: bool) {
        let name = self.names.routine("", &what.to_ascii_lowercase(), Extra::None, false);
        self.writer.call(out, &name, "", external);
    }

    /// Makes a comment of a directive that only we know: `!$omp inst` becomes `! omp inst`.
    fn disarm(&mut self, statement: usize) {
        let statement = self.statement(statement);
        for line in statement.first..=statement.last {
            let line = self.facts.scan.lines[line];
            let text = &self.source[line.start..line.end];
            if let Some(at) = text.iter().position(|c| *c == b'$') {
                self.edits.replace(line.start + at..line.start + at + 1, " ");
            }
        }
    }
}
