//! A combined directive becomes one directive per level, with calls between them.

use super::nest::Site;
use super::plan::Plan;
use super::rewrite::Rewriter;
use super::text::{Extra, pieces};
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
            clauses.extend(self.private_lists(id).into_iter().map(|list| vec![list]));
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
