//! Directives of the measurement itself: user regions, and what switches the measurement.

use super::rewrite::Rewriter;
use super::scan::Kind;
use super::text::Extra;
use crate::Region;
use crate::directives::{self, Named, User};

impl Rewriter<'_> {
    pub(super) fn user(&mut self, statement: usize, external: Option<usize>) {
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
            User::Begin(Named { name, .. }) => {
                let lines = facts.lines(statement);
                let mut region = Region::new("region", lines, lines);
                region.sub_name.clone_from(name);
                let first = facts.scan.statements[statement].first;
                region.file = facts.places.other_file(first).map(str::to_owned);
                let number = self.plans.push(region);
                self.user_regions.push((name.clone(), number));
                self.call(&mut out, "", "begin", number, external);
            }
            User::End(Named { name, .. }) | User::AlternativeEnd(Named { name, .. }) => {
                let found = self.user_regions.iter().rev().find(|(other, _)| other == name);
                if let Some(&(_, number)) = found {
                    self.plans.regions[number as usize - 1].end = facts.lines(statement);
                    self.call(&mut out, "", "end", number, external);
                }
            }
        }
        self.after(statement, &out);
    }

    fn control(&mut self, out: &mut Vec<u8>, what: &str, external: Option<usize>) {
        let name = self.names.routine("", &what.to_ascii_lowercase(), Extra::None, false);
        self.call_routine(out, &name, "", external);
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
