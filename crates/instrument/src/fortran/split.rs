//! A combined directive becomes one directive per level, with calls between them.

use super::class::Class;
use super::events::Target;
use super::plan::Plan;
use super::rewrite::Rewriter;
use super::scan::{Kind, Statement};
use super::site::Site;
use super::text::pieces;
use crate::directives::Level;

impl Rewriter<'_> {
    /// Replaces a combined directive by one directive per level, with the calls between them.
    pub(super) fn replace_split(&mut self, id: usize, plan: &Plan) {
        let facts = self.facts;
        let site = &facts.nest.sites[id];
        let name = &facts.parsed[site.directive].name;
        let statement = self.statement(site.opened);
        let from = self.out().len();
        for (index, level) in plan.levels.iter().enumerate() {
            if index > 0 {
                self.between(site, plan, index);
                if facts.options.line_markers {
                    facts.places.push_marker(self.out(), statement.first);
                }
            }
            self.writer.begin_directive(self.edits.text(), &[level.words(name)]);
            self.write_clauses(id, plan, index);
            self.out().push(b'\n');
        }
        let lines = &facts.scan.lines;
        let range = lines[statement.first].start..lines[statement.last].next;
        self.edits.replace_by_written(range, from);
    }

    /// The calls between the directives of level `index - 1` and `index`.
    fn between(&mut self, site: &Site, plan: &Plan, index: usize) {
        let target = Target::new(site, plan.number);
        self.begin(target, &plan.levels[index - 1]);
        self.enter(target, &plan.levels[index]);
    }

    /// The clauses of one level.
    fn write_clauses(&mut self, id: usize, plan: &Plan, index: usize) {
        let site = &self.facts.nest.sites[id];
        let Some(split) = &plan.split else { return };
        let directive = &self.facts.parsed[site.directive].directive;
        let level = &plan.levels[index];
        for kind in level.kinds().filter(|kind| level.passes(*kind)) {
            self.write_clause_of("firstprivate(", kind, plan.number);
        }
        if index == 0 {
            let outer = level.level == Level::Parallel;
            for inner in plan.levels[1..].iter().filter(|_| outer) {
                inner.kinds().for_each(|kind| self.write_clause_of("private(", kind, plan.number));
            }
            for list in self.private_lists(id) {
                self.writer.clause(self.edits.text(), [list.as_bytes()]);
            }
            if split.common_if.is_some() {
                self.write_clause_of("firstprivate(", 'c', plan.number);
            }
            for name in split.shared.iter().chain(&self.simd_variables(site, plan)) {
                let clause = ["shared(", name, ")"].concat();
                self.writer.clause(self.edits.text(), [clause.as_bytes()]);
            }
        }
        let text = &self.facts.scan.directives[site.directive];
        for clause in split.clauses(index) {
            if split.common_if == Some(clause) {
                self.write_clause_of("if(", 'c', plan.number);
            } else {
                let span = directive.clauses[clause].span.clone();
                self.writer.clause(self.edits.text(), pieces(text, span));
            }
        }
    }

    /// A clause about the variable of this kind.
    fn write_clause_of(&mut self, clause: &str, kind: char, number: u32) {
        let mut text = Vec::with_capacity(48);
        text.extend_from_slice(clause.as_bytes());
        self.names.push_local(&mut text, kind, number);
        text.push(b')');
        self.writer.clause(self.edits.text(), [text.as_slice()]);
    }

    /// The loop variables of a simd loop that the `default` of its region would not let through: a
    /// simd loop sets them at its end.
    fn simd_variables(&self, site: &Site, plan: &Plan) -> Vec<String> {
        let simd =
            plan.levels.last().is_some_and(|level| level.level == Level::Loop { simd: true });
        let text = &self.facts.scan.directives[site.directive].text;
        let directive = &self.facts.parsed[site.directive].directive;
        let argument = |name: &str| {
            let argument = directive.clause(name)?.argument.clone()?;
            Some(String::from_utf8_lossy(&text[argument]).to_ascii_lowercase())
        };
        if !simd || argument("default").is_none_or(|default| default == "shared") {
            return Vec::new();
        }
        // Nobody nests more loops than this, and each directive looks so far ahead.
        const LOOPS_MAX: usize = 64;
        let loops = argument("collapse").and_then(|count| count.parse().ok()).unwrap_or(1);
        let loops = LOOPS_MAX.min(loops);
        let mut names = self.loop_variables(site.opened, loops);
        names.retain(|name| {
            let mut items = directive.all_items();
            !items.any(|item| text[item.span].eq_ignore_ascii_case(name.as_bytes()))
        });
        names
    }

    /// The variables of the next loops behind a statement.
    pub(super) fn loop_variables(&self, statement: usize, loops: usize) -> Vec<String> {
        let statements = self.facts.scan.statements[statement..].iter();
        let dos = statements.filter(|next| matches!(next.kind, Kind::Code(Class::Do { .. })));
        let variable = |next: &Statement| {
            let line = self.facts.scan.lines[next.last];
            let text = &self.source[next.start..next.semicolon.unwrap_or(line.end)];
            let equals = text.iter().position(|c| *c == b'=')?;
            let head = text[..equals].trim_ascii_end();
            let name = head.iter().rev().take_while(|c| c.is_ascii_alphanumeric() || **c == b'_');
            let name = &head[head.len() - name.count()..];
            // Fixed form may run `do10i` together.
            let glued = name.len() == head.len()
                && name.get(..2).is_some_and(|word| word.eq_ignore_ascii_case(b"do"));
            let digits = name.iter().skip(2).take_while(|c| c.is_ascii_digit()).count();
            let name = if glued { &name[2 + digits..] } else { name };
            Some(String::from_utf8_lossy(name).into_owned())
        };
        dos.take(loops).filter_map(variable).collect()
    }

    /// An `if` that holds for two levels is evaluated once.
    pub(super) fn common_if(&mut self, site: &Site, plan: &Plan) {
        let Some(index) = plan.split.as_ref().and_then(|split| split.common_if) else { return };
        let clause = &self.facts.parsed[site.directive].directive.clauses[index];
        let Some(argument) = clause.argument.clone() else { return };
        let text = &self.facts.scan.directives[site.directive].text[argument];
        let text = String::from_utf8_lossy(text).into_owned();
        let variable = self.names.local('c', plan.number);
        self.write_statement(&format!("{variable} = {text}"));
    }
}
