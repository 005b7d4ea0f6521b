//! Program units and procedures: which one a statement is in, where a declaration can be put, and
//! what holds in it: PURE, device code, `implicit none (external)`.

use super::class::{Class, Construct, Unit};
use super::nest::{Entry, Nester};
use super::scan::Cpp;
use super::site::{Broken, UnitSite};

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
                first: at,
                preamble: None,
                leading: true,
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
        let name = self.procedure_name(at);
        let closed = unit == Unit::PureProcedure || self.device_names.contains(&name);
        self.nest.units.push(UnitSite {
            name,
            first: at,
            preamble: Some(at),
            leading: true,
            procedure: None,
        });
        self.nest.changes.push((at, id));
        self.stack.push(Entry::Unit { closed, external, id });
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
        if self.parsed[directive].name != "declare target" {
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
            }
        }
        self.device_names.extend(listed);
    }

    pub(super) fn listed_names(&self, directive: usize) -> Vec<String> {
        let text = &self.scan.directives[directive].text;
        let directive = &self.parsed[directive].directive;
        let items = directive.all_items().map(|item| item.span);
        let spans = items.chain(directive.argument.clone());
        let names = spans.flat_map(|span| text[span].split(|c| *c == b','));
        names.map(|name| String::from_utf8_lossy(name.trim_ascii()).to_ascii_lowercase()).collect()
    }

    /// The name behind SUBROUTINE or FUNCTION.
    pub(super) fn procedure_name(&self, at: usize) -> String {
        let statement = self.at(at);
        let line = self.scan.lines[statement.first];
        let text = self.source[statement.start.min(line.end)..line.end].to_ascii_lowercase();
        let words = text.split(|c| !(c.is_ascii_alphanumeric() || *c == b'_'));
        let mut words = words.filter(|word| !word.is_empty());
        words.find(|word| matches!(*word, b"subroutine" | b"function"));
        String::from_utf8_lossy(words.next().unwrap_or_default()).into_owned()
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
