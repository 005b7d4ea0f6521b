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
        let target = Target::new(site, plan.number);
        self.begin(out, target, &plan.levels[index - 1]);
        self.enter(out, target, &plan.levels[index]);
    }

    /// The clauses of one level.
    fn clauses_of(&self, id: usize, plan: &Plan, index: usize) -> Vec<Vec<String>> {
        let site = &self.facts.nest.sites[id];
        let Some(split) = &plan.split else { return Vec::new() };
        let text = &self.facts.scan.directives[site.directive];
        let directive = &self.facts.parsed[site.directive].directive;
        let mut clauses = Vec::new();
        let condition = self.names.local('c', plan.number);
        let passed = plan.levels[index].passed(&self.names, plan.number);
        clauses.extend(passed.into_iter().map(|name| vec![format!("firstprivate({name})")]));
        if index == 0 {
            let inner = plan.levels[1..].iter().flat_map(|level| level.kinds());
            let inner = inner.map(|kind| self.names.local(kind, plan.number));
            let inner = inner.filter(|_| plan.levels[0].level == Level::Parallel);
            clauses.extend(inner.map(|name| vec![format!("private({name})")]));
            clauses.extend(self.private_lists(id).into_iter().map(|list| vec![list]));
            if split.common_if.is_some() {
                clauses.push(vec![format!("firstprivate({condition})")]);
            }
            let shared = split.shared.iter().cloned().chain(self.simd_variables(site, plan));
            clauses.extend(shared.map(|name| vec![format!("shared({name})")]));
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
            let mut items = directive.clauses.iter().flat_map(|clause| &clause.items);
            !items.any(|item| text[item.span.clone()].eq_ignore_ascii_case(name.as_bytes()))
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
    pub(super) fn common_if(&mut self, out: &mut Vec<u8>, site: &Site, plan: &Plan) {
        let Some(index) = plan.split.as_ref().and_then(|split| split.common_if) else { return };
        let clause = &self.facts.parsed[site.directive].directive.clauses[index];
        let Some(argument) = clause.argument.clone() else { return };
        let text = &self.facts.scan.directives[site.directive].text[argument];
        let text = String::from_utf8_lossy(text).into_owned();
        let variable = self.names.local('c', plan.number);
        self.writer.statement(out, &format!("{variable} = {text}"));
    }
}
