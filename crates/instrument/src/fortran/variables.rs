//! The variable of each team and task: declared at the beginning of its procedure, passed to the
//! threads of a region and to a task by `firstprivate`, private in the constructs around it.
//!
//! It is not declared in a BLOCK around the construct, because the user's code would then be inside
//! of that BLOCK: gfortran 12 makes a new local variable of an implicitly typed name that it meets
//! there first, knows no common block in clauses, and calls no function that only has a type.

use super::plan::{LevelPlan, Plan};
use super::rewrite::Rewriter;
use super::scan::{Cpp, Kind};
use super::text::{Names, Writer};
use crate::directives::Level;

/// Columns of one added list.
const LIST: usize = 48;

impl LevelPlan {
    /// The kinds of its variables: of a team, a task, a taskloop.
    pub fn kinds(&self) -> impl Iterator<Item = char> {
        let kinds = match self.level {
            _ if !self.events => "",
            Level::Parallel => "p",
            Level::Task if self.word => "to",
            Level::Task => "t",
            Level::Taskloop { .. } if self.iterations => "lt",
            Level::Taskloop { .. } => "l",
            _ if self.word => "o",
            _ => "",
        };
        kinds.chars()
    }

    /// Whether its threads or tasks get its variable of this kind.
    pub fn passes(&self, kind: char) -> bool {
        let inside = !matches!(self.level, Level::Taskloop { .. }) || self.iterations;
        inside && kind != 'o'
    }
}

impl Rewriter<'_> {
    /// Declares the variables of teams and tasks.
    pub(super) fn declare_variables(&mut self) {
        let facts = self.facts;
        for (site, plan) in facts.nest.sites.iter().zip(&self.plans.plans) {
            let Some(plan) = plan.as_ref().filter(|_| site.alias.is_none()) else { continue };
            for kind in plan.levels.iter().flat_map(LevelPlan::kinds) {
                let variable = (kind, plan.number);
                let lines = declaration(self.writer, &self.names, "integer(8) :: ", variable);
                self.declarations.push((site.unit, lines));
            }
            if plan.split.as_ref().is_some_and(|split| split.common_if.is_some()) {
                let variable = ('c', plan.number);
                let lines = declaration(self.writer, &self.names, "logical :: ", variable);
                self.declarations.push((site.unit, lines));
            }
        }
    }

    /// Puts declarations at the beginning of their units.
    pub(super) fn insert_declarations(&mut self) {
        let mut declarations = std::mem::take(&mut self.declarations);
        declarations.sort_unstable();
        declarations.dedup();
        for group in declarations.chunk_by(|a, b| a.0 == b.0) {
            let write = |this: &mut Self| {
                group.iter().for_each(|(_, lines)| this.out().extend_from_slice(lines));
            };
            let unit = &self.facts.nest.units[group[0].0];
            match unit.preamble {
                Some(preamble) => {
                    self.first_after(self.past_conditional(unit.first, preamble), write);
                }
                None => self.first_before(unit.first, write),
            }
        }
    }

    /// The `#endif` behind a statement that is in a preprocessor branch which begins behind `from`.
    pub(super) fn past_conditional(&self, from: usize, statement: usize) -> usize {
        let statements = &self.facts.scan.statements;
        let mut depth = 0usize;
        for (at, next) in statements.iter().enumerate().skip(from) {
            match next.kind {
                Kind::Cpp(Cpp::If(_)) => depth += 1,
                // The branches around `from` end, too.
                Kind::Cpp(Cpp::Endif) => depth = depth.saturating_sub(1),
                _ => {}
            }
            if at >= statement && depth == 0 {
                return at;
            }
        }
        statement
    }

    /// Adds the variables of a team or task to the user's directive.
    pub(super) fn add_clauses(&mut self, id: usize, plan: Option<&Plan>) {
        let site = &self.facts.nest.sites[id];
        let mut clauses: Vec<String> = Vec::new();
        if let Some(plan) = plan.filter(|plan| !plan.whole)
            && let Some(level) = plan.levels.last()
        {
            let passed = level.kinds().filter(|kind| level.passes(*kind));
            let passed = passed.map(|kind| self.names.local(kind, plan.number));
            clauses.extend(passed.map(|name| format!("firstprivate({name})")));
        }
        clauses.extend(self.private_lists(id));
        if clauses.is_empty() {
            return;
        }
        let facts = self.facts;
        let text = &facts.scan.directives[site.directive];
        let words = facts.parsed[site.directive].words_span();
        let end = text.at.of(words.end - 1) + 1;
        let rest = text.text[words.end..].iter().position(|c| *c != b' ' && *c != b'\t');
        let same_line = rest.is_some_and(|rest| {
            let next = text.at.of(words.end + rest);
            !self.source[end..next].contains(&b'\n')
        });
        let mut added = self.added_clauses(end, &clauses);
        if same_line {
            added += &self.tail_line(end);
        }
        self.edits.insert(end, added);
    }

    /// Clauses behind the words of a directive: the first on the same line if there is room.
    fn added_clauses(&self, end: usize, clauses: &[String]) -> String {
        let line = self.line_of(end);
        let column = end - self.facts.scan.lines[line].start;
        let next = if self.writer.form.is_fixed() { "\n!$omp& " } else { " &\n!$omp& " };
        let mut added = String::new();
        for (index, clause) in clauses.iter().enumerate() {
            let fits = index == 0 && column + clause.len() + 3 <= self.writer.room;
            added += if fits { " " } else { next };
            added += clause;
        }
        added
    }

    /// The beginning of a line of its own for the user's clauses; in fixed form they keep their
    /// columns, in free form they come further left.
    fn tail_line(&self, end: usize) -> String {
        let line = self.line_of(end);
        let column = end - self.facts.scan.lines[line].start;
        let marker = if self.facts.options.line_markers {
            self.facts.places.marker_for(line)
        } else {
            String::new()
        };
        if self.writer.form.is_fixed() {
            format!("\n{marker}!$omp&{}", " ".repeat(column.saturating_sub(6)))
        } else {
            format!(" &\n{marker}!$omp &")
        }
    }

    /// Lists of the variables of constructs inside.
    pub(super) fn private_lists(&self, id: usize) -> Vec<String> {
        let mut lists: Vec<String> = Vec::new();
        for name in self.private_names(id) {
            match lists.last_mut() {
                Some(list) if list.len() + name.len() < LIST => *list += &format!(",{name}"),
                _ => lists.push(name),
            }
        }
        lists.into_iter().map(|list| format!("private({list})")).collect()
    }

    /// The variables of constructs inside.
    fn private_names(&self, id: usize) -> Vec<String> {
        let id = self.facts.nest.sites[id].alias.unwrap_or(id);
        let mut names = Vec::new();
        for plan in
            self.plans.private[id].iter().filter_map(|site| self.plans.plans[*site].as_ref())
        {
            let kinds = plan.levels.iter().flat_map(LevelPlan::kinds);
            names.extend(kinds.map(|kind| self.names.local(kind, plan.number)));
            if plan.split.as_ref().is_some_and(|split| split.common_if.is_some()) {
                names.push(self.names.local('c', plan.number));
            }
        }
        names
    }

    fn line_of(&self, offset: usize) -> usize {
        self.facts.scan.lines.partition_point(|line| line.next <= offset)
    }
}

/// The lines that declare a variable, given its kind and number.
fn declaration(writer: Writer, names: &Names, declares: &str, variable: (char, u32)) -> Vec<u8> {
    let mut lines = Vec::with_capacity(48);
    let start = writer.begin_statement(&mut lines);
    lines.extend_from_slice(declares.as_bytes());
    names.push_local(&mut lines, variable.0, variable.1);
    writer.end_statement(&mut lines, start);
    lines
}
