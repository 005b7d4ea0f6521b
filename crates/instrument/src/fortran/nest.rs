//! Nesting: which END, which loop end, which BLOCK end closes each directive.
//!
//! END directives may be missing: a loop directive ends with its loop, a construct whose body is a
//! single BLOCK ends with that BLOCK. So program units, block constructs and loops are followed,
//! too. The result is the list of constructs ([`Site`]) and the order in which they open and close.
//!
//! Preprocessor branches: every branch starts from the nesting in front of its `#if`. Behind the
//! `#endif` the first branch counts, unless another one opens or closes more directives. Directives
//! that alternative branches open at the same place are one construct (`alias`).

use super::branch::Branches;
use super::class::{Class, Construct};
use super::device;
use super::directive::Parsed;
use super::groups::DEPTH_MAX;
use super::scan::{Kind, Scan, Statement};
use super::site::{Broken, Close, Event, Nest, Own, Section, Site};
use crate::directives::{self, Level, User};
use std::collections::HashSet;
use std::rc::Rc;

/// An open item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entry {
    /// Program unit or procedure: whether nothing may be called in it, and whether
    /// `implicit none (external)` holds.
    Unit {
        /// PURE, or compiled for a device as well.
        closed: bool,
        /// See [`Site::external`].
        external: bool,
        /// Which one.
        id: usize,
    },
    /// A construct of the language.
    Construct(Construct),
    /// A loop.
    Do {
        /// The label of its terminal statement, or 0.
        label: u32,
        /// See [`Class::Do`].
        name: u32,
        /// See [`Class::Do`].
        concurrent: bool,
        /// Its DO statement.
        at: usize,
    },
    /// A directive's construct.
    Omp(usize, State),
}

/// Where the body of a directive stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// No statement yet.
    Fresh,
    /// An ordinary body, which needs an END.
    Loose,
    /// The body is one BLOCK, which is open.
    Strict,
    /// The loop must come.
    Awaiting,
    /// The loop is open.
    Running,
    /// Loop or BLOCK ended with this statement; an END directive may follow.
    Ended(usize),
    /// An atomic that ends behind this statement.
    Atomic(usize),
}

/// Finds the nesting of a file.
pub(super) fn nest(scan: &Scan, parsed: &[Rc<Parsed>], procedures: bool) -> Result<Nest, Broken> {
    let mut nester = Nester {
        scan,
        parsed,
        nest: Nest::for_directives(parsed.len()),
        stack: Vec::new(),
        branches: Branches::default(),
        suspended: false,
        device_names: HashSet::new(),
        main: None,
        main_external: false,
        procedures,
    };
    for at in 0..scan.statements.len() {
        nester.statement(at)?;
    }
    nester.finish()?;
    Ok(nester.nest)
}

pub(super) struct Nester<'a> {
    pub(super) scan: &'a Scan,
    pub(super) parsed: &'a [Rc<Parsed>],
    pub(super) nest: Nest,
    pub(super) stack: Vec<Entry>,
    pub(super) branches: Branches,
    /// Between `noinstrument` and `instrument`.
    pub(super) suspended: bool,
    /// What `declare target` lists.
    pub(super) device_names: HashSet<String>,
    /// The main program, if it has no PROGRAM statement.
    pub(super) main: Option<usize>,
    /// `implicit none (external)` in such a main program.
    pub(super) main_external: bool,
    /// Whether procedures are followed.
    pub(super) procedures: bool,
}

impl Nester<'_> {
    pub(super) fn at(&self, at: usize) -> Statement {
        self.scan.statements[at]
    }

    fn statement(&mut self, at: usize) -> Result<(), Broken> {
        let statement = self.at(at);
        if let Kind::Cpp(cpp) = statement.kind {
            self.included(at, cpp);
            self.branches.line(cpp, &mut self.stack, &mut self.nest.sites, self.parsed);
            return self.refuse_depth(at);
        }
        let plain = statement.kind == Kind::Code(Class::Other) && statement.label == 0;
        if self.branches.is_dead() || plain && self.passes_by() {
            return Ok(());
        }
        self.settle(at);
        match statement.kind {
            Kind::Code(class) => self.code(at, class, statement.label)?,
            Kind::Directive(directive) => self.directive(at, directive)?,
            Kind::Cpp(_) => {}
        }
        self.refuse_depth(at)
    }

    /// Whether a plain statement changes nothing here: it is neither the first one of a unit nor
    /// that of a directive.
    fn passes_by(&self) -> bool {
        let inside = match self.stack.last() {
            Some(Entry::Unit { id, .. }) => !self.nest.units[*id].leading,
            Some(Entry::Construct(_) | Entry::Do { .. }) => true,
            Some(Entry::Omp(..)) | None => false,
        };
        inside && !self.procedures
    }

    /// Each construct asks what is around it, and each branch keeps what is open in front of it.
    fn refuse_depth(&self, at: usize) -> Result<(), Broken> {
        if self.stack.len().max(self.branches.depth()) <= DEPTH_MAX {
            return Ok(());
        }
        Err(Broken {
            at,
            message: "this is nested too deeply".to_owned(),
            expected: format!("at most {DEPTH_MAX} levels"),
        })
    }

    /// Closes what has ended, unless `at` is the END directive that belongs to it.
    fn settle(&mut self, at: usize) {
        while let Some(&Entry::Omp(site, State::Ended(end))) = self.stack.last() {
            if self.is_end_of(at, site) {
                break;
            }
            self.pop_site(site, Close::After(end), end);
        }
    }

    fn is_end_of(&self, at: usize, site: usize) -> bool {
        let Kind::Directive(directive) = self.at(at).kind else { return false };
        let (end, begin) = (&self.parsed[directive], self.parsed_of(site));
        end.kind == directives::Kind::End
            && end.name == begin.end_name()
            && !(begin.may_become_any() && self.in_begin_metadirective())
    }

    pub(super) fn parsed_of(&self, site: usize) -> &Parsed {
        &self.parsed[self.nest.sites[site].directive]
    }

    /// Removes the construct on top. A loop that was produced by it ends as well.
    pub(super) fn pop_site(&mut self, site: usize, close: Close, at: usize) {
        self.stack.pop();
        self.end_section(site, at);
        self.nest.sites[site].close = close;
        self.nest.events.push(Event::Close(site));
        if let Some(Entry::Omp(_, state @ State::Awaiting)) = self.stack.last_mut() {
            *state = State::Ended(at);
        }
    }

    /// The first statement of a body decides about its kind.
    fn enter_body(&mut self, at: usize, class: Option<Class>) -> Result<(), Broken> {
        let Some(&Entry::Omp(site, state)) = self.stack.last() else { return Ok(()) };
        match state {
            State::Fresh => {
                let strict = class == Some(Class::Open(Construct::Block));
                let state = if strict { State::Strict } else { State::Loose };
                self.set_state(state);
            }
            State::Awaiting if !matches!(class, Some(Class::Do { .. })) => {
                let loop_directive = class.is_none() && self.is_loop_directive(at);
                if !loop_directive {
                    let name = &self.parsed[self.nest.sites[site].directive].name;
                    return Err(Broken {
                        at,
                        message: format!("no loop behind `{name}`"),
                        expected: "a DO statement".to_owned(),
                    });
                }
            }
            _ => {}
        }
        self.implicit_section(at, site);
        Ok(())
    }

    fn is_loop_directive(&self, at: usize) -> bool {
        match self.at(at).kind {
            Kind::Directive(directive) => {
                let parsed = &self.parsed[directive];
                parsed.is_loop() || parsed.may_become_any()
            }
            _ => false,
        }
    }

    /// The next statement of the language or of OpenMP.
    pub(super) fn behind(&self, at: usize) -> Option<(usize, Statement)> {
        let mut behind = self.scan.statements.iter().copied().enumerate().skip(at + 1);
        behind.find(|(_, statement)| !matches!(statement.kind, Kind::Cpp(_)))
    }

    fn set_state(&mut self, new: State) {
        if let Some(Entry::Omp(_, state)) = self.stack.last_mut() {
            *state = new;
        }
    }

    fn is_sections(&self, site: usize) -> bool {
        let directive = self.nest.sites[site].directive;
        self.parsed[directive].levels().contains(&Level::Sections)
    }

    /// Statements in front of the first `section` are a section.
    fn implicit_section(&mut self, at: usize, site: usize) {
        let separator = match self.at(at).kind {
            Kind::Directive(directive) => {
                let kind = &self.parsed[directive].kind;
                matches!(kind, directives::Kind::Section | directives::Kind::End)
            }
            _ => false,
        };
        if self.is_sections(site) && self.nest.sites[site].sections.is_empty() && !separator {
            self.begin_section(site, self.nest.sites[site].opened);
        }
    }

    fn begin_section(&mut self, site: usize, opened: usize) {
        let sections = &mut self.nest.sites[site].sections;
        sections.push(Section { opened, closed: usize::MAX });
        let last = sections.len() - 1;
        self.nest.events.push(Event::SectionBegin(site, last));
    }

    fn end_section(&mut self, site: usize, closed: usize) {
        let sections = &mut self.nest.sites[site].sections;
        let last = sections.len().wrapping_sub(1);
        if let Some(section) = sections.last_mut().filter(|section| section.closed == usize::MAX) {
            section.closed = closed;
            self.nest.events.push(Event::SectionEnd(site, last));
        }
    }

    fn code(&mut self, at: usize, class: Class, label: u32) -> Result<(), Broken> {
        self.enter_body(at, Some(class))?;
        self.preamble(at, class);
        if self.procedures {
            self.follow_procedure(at, class, label);
        }
        match class {
            Class::Unit(unit) => {
                self.unit(at, unit);
                self.begin_procedure(at, unit);
            }
            Class::Open(construct) => self.stack.push(Entry::Construct(construct)),
            Class::Do { label, name, concurrent } => {
                self.begin_do(Entry::Do { label, name, concurrent, at });
            }
            Class::Cycle { name, .. } => self.cycle(at, name),
            Class::EndDo => self.end_do(at),
            Class::End(construct) => self.end_construct(at, construct),
            Class::EndUnit => self.end_unit(at)?,
            Class::ImplicitNoneExternal => self.implicit_none_external(),
            Class::Other | Class::Preamble | Class::Include => {}
        }
        if label != 0 {
            self.terminal(at, label);
        }
        if let Some(&Entry::Omp(site, State::Atomic(end))) = self.stack.last()
            && end == at
        {
            self.pop_site(site, Close::After(end), end);
        }
        Ok(())
    }

    fn end_construct(&mut self, at: usize, construct: Construct) {
        if !self.unwind_to(|entry| *entry == Entry::Construct(construct)) {
            return;
        }
        self.stack.pop();
        if let Some(Entry::Omp(_, state @ State::Strict)) = self.stack.last_mut()
            && construct == Construct::Block
        {
            *state = State::Ended(at);
        }
    }

    /// Removes what is above the innermost entry of this kind, if no directive or unit is open
    /// there. Constructs in between were left open by preprocessor branches.
    pub(super) fn unwind_to(&mut self, wanted: impl Fn(&Entry) -> bool) -> bool {
        for depth in (0..self.stack.len()).rev() {
            match &self.stack[depth] {
                entry if wanted(entry) => {
                    self.stack.truncate(depth + 1);
                    return true;
                }
                Entry::Construct(_) | Entry::Do { .. } => {}
                Entry::Omp(..) | Entry::Unit { .. } => return false,
            }
        }
        false
    }

    pub(super) fn unclosed(&self, at: usize, site: usize) -> Broken {
        let site = &self.nest.sites[site];
        let name = self.parsed[site.directive].end_name();
        let line = self.at(site.opened).first + 1;
        Broken {
            at,
            message: format!("`{name}` of line {line} is still open here"),
            expected: format!("an END directive: `end {name}`"),
        }
    }

    fn directive(&mut self, at: usize, directive: usize) -> Result<(), Broken> {
        use directives::Kind as Meaning;
        if self.procedures {
            self.directive_of_procedure(at, directive);
        }
        let parsed = &self.parsed[directive];
        match &parsed.kind {
            Meaning::End => return self.end_directive(at, directive),
            Meaning::Section => {
                self.section(at);
                return Ok(());
            }
            Meaning::Declarative => {
                self.declarative(directive);
                return Ok(());
            }
            Meaning::Unknown => {
                self.nest.unknown.push(at);
                return Ok(());
            }
            Meaning::User(user) => {
                self.user(at, user);
                return Ok(());
            }
            Meaning::Events(_) | Meaning::Body { .. } | Meaning::StandAlone => {}
        }
        self.enter_body(at, None)?;
        self.cancel(directive);
        let state = self.first_state(at, directive)?;
        self.open(at, directive, state);
        Ok(())
    }

    /// How the body begins; None for a statement of its own.
    fn first_state(&self, at: usize, directive: usize) -> Result<Option<State>, Broken> {
        let parsed = &self.parsed[directive];
        if parsed.metadirective.is_some() {
            return Ok(self.state_of_metadirective(at, parsed));
        }
        if parsed.stands_alone() {
            return Ok(None);
        }
        if parsed.levels() == [Level::Atomic] {
            return self.atomic(at, directive).map(Some);
        }
        Ok(Some(if parsed.is_loop() { State::Awaiting } else { State::Fresh }))
    }

    fn open(&mut self, at: usize, directive: usize, state: Option<State>) {
        let id = self.nest.sites.len();
        let parent = self.stack.iter().rev().find_map(|entry| match entry {
            Entry::Omp(site, _) => Some(Some(*site)),
            Entry::Unit { .. } => Some(None),
            _ => None,
        });
        let site = Site {
            directive,
            opened: at,
            close: if state.is_some() { Close::Open } else { Close::Itself },
            parent: parent.flatten(),
            unit: self.enter_unit(at),
            sections: Vec::new(),
            cancelled: false,
            body: None,
            blocked: self.blocked().or_else(|| self.misfit(directive, state)),
            external: self.needs_external(at),
            alias: None,
            conditional: false,
        };
        self.nest.sites.push(site);
        self.nest.events.push(Event::Open(id));
        if let Some(state) = state {
            self.stack.push(Entry::Omp(id, state));
        }
    }

    /// Why no call may be inserted here.
    fn blocked(&self) -> Option<&'static str> {
        if self.suspended {
            return Some("instrumentation is switched off here");
        }
        for entry in self.stack.iter().rev() {
            match entry {
                Entry::Unit { closed: true, .. } => {
                    return Some(device::CLOSED);
                }
                Entry::Unit { .. } => return None,
                Entry::Do { concurrent: true, .. } => {
                    return Some("nothing may be called in DO CONCURRENT");
                }
                Entry::Construct(Construct::Where | Construct::Forall) => {
                    return Some("nothing may be called in WHERE and FORALL");
                }
                Entry::Omp(site, _) => {
                    let directive = self.nest.sites[*site].directive;
                    let text = &self.scan.directives[directive].text;
                    if !self.parsed[directive].allows_calls_inside(text) {
                        return Some("nothing may be called inside the construct around it");
                    }
                }
                _ => {}
            }
        }
        None
    }

    fn section(&mut self, at: usize) {
        let Some(&Entry::Omp(site, _)) = self.stack.last() else { return };
        if self.is_sections(site) {
            self.end_section(site, at);
            self.set_state(State::Loose);
            self.begin_section(site, at);
        }
    }

    fn user(&mut self, at: usize, user: &User) {
        match user {
            User::Suspend => self.suspended = true,
            User::Resume => self.suspended = false,
            _ => {}
        }
        let blocked = if self.suspended { None } else { self.blocked() };
        let (unit, external) = (self.enter_unit(at), self.needs_external(at));
        self.nest.events.push(Event::User(Own { at, unit, external, blocked }));
    }

    /// `cancel do` ends the innermost loop construct, and so on.
    fn cancel(&mut self, directive: usize) {
        let Some(what) = self.parsed[directive].name.strip_prefix("cancel ") else { return };
        let target = self.stack.iter().rev().find_map(|entry| match entry {
            Entry::Omp(site, _) => {
                let name = &self.parsed[self.nest.sites[*site].directive].name;
                name.split(' ').any(|word| word == what).then_some(*site)
            }
            _ => None,
        });
        if let Some(site) = target {
            self.nest.sites[site].cancelled = true;
        }
    }

    fn end_directive(&mut self, at: usize, directive: usize) -> Result<(), Broken> {
        let name = &self.parsed[directive].name;
        let top = self.stack.last();
        if let Some(&Entry::Omp(site, _)) = top
            && self.is_end_of(at, site)
        {
            self.pop_site(site, Close::Directive(at), at);
            return Ok(());
        }
        for depth in (0..self.stack.len()).rev() {
            match self.stack[depth] {
                Entry::Unit { .. } => break,
                Entry::Omp(site, _) if self.is_end_of(at, site) && self.branches.seen() => {
                    self.stack.truncate(depth + 1);
                    self.pop_site(site, Close::Directive(at), at);
                    return Ok(());
                }
                Entry::Omp(site, _) => return Err(self.unclosed(at, site)),
                _ => {}
            }
        }
        // END of a directive without body of ours (`end dispatch`), or of another branch.
        let passed = matches!(name.as_str(), "dispatch" | "allocators") || self.is_unknown(name);
        if self.branches.seen() || passed {
            return Ok(());
        }
        Err(Broken {
            at,
            message: format!("`end {name}` without its beginning"),
            expected: format!("a `{name}` directive before it"),
        })
    }

    /// Whether a directive that nobody knows has this name.
    fn is_unknown(&self, name: &str) -> bool {
        let mut names = self.nest.unknown.iter().filter_map(|at| match self.at(*at).kind {
            Kind::Directive(directive) => Some(self.parsed[directive].name.as_str()),
            _ => None,
        });
        names.any(|other| other == name)
    }

    fn finish(&mut self) -> Result<(), Broken> {
        let last = self.scan.statements.len().saturating_sub(1);
        while let Some(entry) = self.stack.last() {
            match *entry {
                Entry::Omp(site, State::Ended(end)) => {
                    self.pop_site(site, Close::After(end), end);
                }
                Entry::Omp(site, _) => return Err(self.unclosed(last, site)),
                _ => {
                    self.stack.pop();
                }
            }
        }
        self.leave_open_ones_alone();
        Ok(())
    }

    /// A construct that ends in some preprocessor branches only was dropped where they meet.
    fn leave_open_ones_alone(&mut self) {
        for site in &mut self.nest.sites {
            if site.close == Close::Open && site.alias.is_none() {
                site.blocked = Some("preprocessor branches disagree about its end");
            }
        }
    }
}
