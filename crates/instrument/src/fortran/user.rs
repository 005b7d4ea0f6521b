//! Directives of the measurement itself: user regions, and what switches the measurement.

use super::events::Target;
use super::rewrite::Rewriter;
use super::scan::Kind;
use super::site::Own;
use super::text::Extra;
use crate::directives::{self, Named, User};
use crate::{Abi, Diagnostic, Region, Severity};

impl Rewriter<'_> {
    pub(super) fn user(&mut self, own: Own) {
        let facts = self.facts;
        let Kind::Directive(directive) = self.statement(own.at).kind else { return };
        let directives::Kind::User(user) = &facts.parsed[directive].kind else { return };
        self.disarm(own.at);
        self.plans.found += 1;
        if let Some(reason) = own.blocked.filter(|_| !matches!(user, User::Suspend | User::Resume))
        {
            return self.refused(own, directive, Severity::Note, reason);
        }
        self.plans.instrumented += 1;
        match user {
            User::Suspend | User::Resume => self.after(own.at, |_| ()),
            User::Init => self.control("Init", own),
            User::Finalize => self.control("Finalize", own),
            User::On => self.control("On", own),
            User::Off => self.control("Off", own),
            _ if facts.options.disabled.contains("region") => self.after(own.at, |_| ()),
            User::Begin(named) => {
                let lines = facts.lines(own.at);
                let mut region = Region::new("region", lines, lines);
                region.sub_name.clone_from(&named.name);
                region.describe(&facts.nest.units[own.unit].path, "", facts.options.abi);
                let first = facts.scan.statements[own.at].first;
                region.file = facts.places.other_file(first).map(str::to_owned);
                let number = self.plans.push(region);
                // Fortran knows no case.
                self.user_regions.insert(named.name.to_ascii_lowercase(), number);
                self.user_call(own, "Begin", (number, named));
            }
            User::End(named) | User::AlternativeEnd(named) => {
                let Some(&number) = self.user_regions.get(&named.name.to_ascii_lowercase()) else {
                    let reason = "no `inst begin` with this name before it";
                    return self.refused(own, directive, Severity::Warning, reason);
                };
                self.plans.regions[number as usize - 1].end = facts.lines(own.at);
                self.user_call(own, "End", (number, named));
            }
        }
    }

    fn refused(&mut self, own: Own, directive: usize, severity: Severity, reason: &str) {
        let message = format!("`{}`: {reason}", self.facts.parsed[directive].name);
        let line = self.facts.lines(own.at).0;
        self.plans.diagnostics.push(Diagnostic { severity, line, message });
    }

    fn control(&mut self, what: &'static str, own: Own) {
        let name = self.names.routine(("", what), None).to_owned();
        self.after(own.at, |this| this.call_routine(&name, "", own.external));
    }

    /// A variable can have any type, so the routine that gets it needs an interface which says so.
    fn user_call(&mut self, own: Own, what: &'static str, of: (u32, &Named)) {
        let (number, named) = of;
        // POMP2 passes none.
        let variable = named.variable.as_ref().filter(|_| self.names.abi == Abi::Pomp);
        let Some(variable) = variable else {
            let to = Target { number, external: own.external, opened: own.at, unit: own.unit };
            let extras = &[Extra::Nothing];
            return self.after(own.at, |this| this.call(to, ("", what), extras, &[]));
        };
        let name = self.names.routine(("", what), Some(&[Extra::Any])).to_owned();
        let [n, x] = ["n", "x0"].map(|dummy| format!("{}{dummy}", self.names.prefix()));
        let mut interface = Vec::new();
        for line in
            ["interface", &format!("subroutine {name}({n},{x})"), &format!("integer :: {n}")]
        {
            self.writer.statement(&mut interface, line);
        }
        self.writer.any_type(&mut interface, &x);
        for line in ["end subroutine", "end interface"] {
            self.writer.statement(&mut interface, line);
        }
        self.declare(own.unit, interface);
        let arguments = format!("{number},{variable}");
        self.after(own.at, |this| this.call_routine(&name, &arguments, None));
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
