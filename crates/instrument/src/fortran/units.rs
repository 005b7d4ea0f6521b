//! Program units and procedures: which one a statement is in, where a declaration can be put, and
//! what holds in it: PURE, device code, `implicit none (external)`.

use super::class::{Class, Construct};
use super::form::is_blank;
use super::heading::Unit;
use super::nest::{Entry, Nester};
use super::scan::Cpp;
use super::site::{Broken, UnitSite};
use crate::directive::Clause;

/// What compilers call a main program without a PROGRAM statement.
pub(super) const MAIN: &str = "MAIN__";

impl Nester<'_> {
    pub(super) fn current_unit(&self) -> Option<usize> {
        let mut entries = self.stack.iter().rev();
        let unit = entries.find_map(|entry| match entry {
            Entry::Unit { id, .. } => Some(*id),
            _ => None,
        });
        unit.or(self.main)
    }

    /// The unit that a statement is in; a main program may begin with any statement.
    pub(super) fn enter_unit(&mut self, at: usize) -> usize {
        self.current_unit().unwrap_or_else(|| {
            self.nest.units.push(UnitSite {
                name: String::new(),
                path: MAIN.to_owned(),
                first: at,
                preamble: None,
                leading: true,
                device: false,
                procedure: None,
            });
            let unit = self.nest.units.len() - 1;
            self.main = Some(unit);
            self.nest.changes.push((at, unit));
            self.begin_main();
            unit
        })
    }

    /// Follows the beginning of a unit: declarations must come behind IMPLICIT, which may come
    /// behind PARAMETER.
    pub(super) fn preamble(&mut self, at: usize, class: Class) {
        if matches!(class, Class::Unit(_)) {
            return;
        }
        let unit = self.enter_unit(at);
        let unit = &mut self.nest.units[unit];
        match class {
            Class::Preamble | Class::ImplicitNoneExternal => unit.preamble = Some(at),
            Class::Include if unit.leading => unit.preamble = Some(at),
            _ => unit.leading = false,
        }
    }

    /// A file that is included first may have the IMPLICIT statement.
    pub(super) fn included(&mut self, at: usize, cpp: Cpp) {
        if cpp == Cpp::Include
            && let Some(unit) = self.current_unit()
            && self.nest.units[unit].leading
        {
            self.nest.units[unit].preamble = Some(at);
        }
    }

    pub(super) fn unit(&mut self, at: usize, unit: Unit) {
        let in_interface = self.stack.last() == Some(&Entry::Construct(Construct::Interface));
        if unit == Unit::ModuleProcedure && in_interface {
            return;
        }
        // What holds in the host holds in its procedures. A submodule's host may be in another
        // file.
        let external = unit == Unit::Submodule || self.external();
        let id = self.nest.units.len();
        let name = self.scan.names.get(at).filter(|_| unit.is_procedure());
        let name = name.cloned().unwrap_or_default();
        let device = self.device_names.contains(&name);
        let closed = device || matches!(unit, Unit::PureProcedure | Unit::SimpleProcedure);
        self.nest.units.push(UnitSite {
            name,
            path: String::new(),
            first: at,
            preamble: Some(at),
            leading: true,
            device,
            procedure: None,
        });
        self.nest.changes.push((at, id));
        self.stack.push(Entry::Unit { closed, external, id });
        self.nest.units[id].path = self.path_of_units().join("::");
    }

    pub(super) fn external(&self) -> bool {
        let units = self.stack.iter().rev();
        let mut units = units.filter_map(|entry| match entry {
            Entry::Unit { external, .. } => Some(*external),
            _ => None,
        });
        units.next().unwrap_or(self.main_external)
    }

    pub(super) fn needs_external(&mut self, at: usize) -> Option<usize> {
        let unit = self.enter_unit(at);
        self.external().then_some(unit)
    }

    pub(super) fn implicit_none_external(&mut self) {
        let unit = self.stack.iter_mut().rev().find_map(|entry| match entry {
            Entry::Unit { external, .. } => Some(external),
            _ => None,
        });
        *unit.unwrap_or(&mut self.main_external) = true;
    }

    /// A procedure with `declare target`, or in its list, is device code, too.
    pub(super) fn declarative(&mut self, directive: usize) {
        if self.parsed[directive].name != "declare target" || self.is_for_host(directive) {
            return;
        }
        let listed = self.listed_names(directive);
        let Some(id) = self.current_unit() else { return };
        if listed.is_empty() || listed.contains(&self.nest.units[id].name) {
            let mut entries = self.stack.iter_mut().rev();
            let unit = entries.find_map(|entry| match entry {
                Entry::Unit { closed, .. } => Some(closed),
                _ => None,
            });
            if let Some(closed) = unit {
                *closed = true;
                self.nest.units[id].device = true;
            }
        }
        self.device_names.extend(listed);
    }

    /// Whether a directive says that only the host has what it declares.
    fn is_for_host(&self, directive: usize) -> bool {
        let text = &self.scan.directives[directive].text;
        let clause = self.parsed[directive].directive.clause("device_type");
        let argument = clause.and_then(|clause| clause.argument.clone());
        argument.is_some_and(|argument| text[argument].eq_ignore_ascii_case(b"host"))
    }

    fn listed_names(&self, directive: usize) -> Vec<String> {
        let text = &self.scan.directives[directive].text;
        let directive = &self.parsed[directive].directive;
        let lists = |clause: &&Clause| matches!(&*clause.name, "to" | "enter" | "link" | "local");
        let items = directive.clauses.iter().filter(lists).flat_map(|one| directive.items(one));
        let spans = items.map(|item| item.span).chain(directive.argument.clone());
        let names = spans.flat_map(|span| text[span].split(|c| *c == b','));
        let visible = |name: &[u8]| -> Vec<u8> {
            name.iter().copied().filter(|byte| !is_blank(*byte)).collect()
        };
        let lower = |name: &[u8]| String::from_utf8_lossy(&visible(name)).to_ascii_lowercase();
        names.map(lower).collect()
    }

    pub(super) fn end_unit(&mut self, at: usize) -> Result<(), Broken> {
        while let Some(entry) = self.stack.pop() {
            match entry {
                Entry::Unit { .. } => {
                    self.nest.changes.extend(self.current_unit().map(|unit| (at + 1, unit)));
                    return Ok(());
                }
                Entry::Omp(site, _) => return Err(self.unclosed(at, site)),
                _ => {}
            }
        }
        self.main = None;
        self.main_external = false;
        Ok(())
    }
}
