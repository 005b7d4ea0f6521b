//! Procedures as far as their events need it: where the specification part ends, the ways out and
//! the further ways in. Collected while the nesting is found.

use super::class::{Class, Construct};
use super::heading::Unit;
use super::nest::{Entry, Nester};
use super::role::Role;
use super::site::Procedure;
use super::units::MAIN;
use crate::directives::{self, User};

impl Nester<'_> {
    /// A unit has begun: follows it if it can have actions.
    pub(super) fn begin_procedure(&mut self, at: usize, unit: Unit) {
        let acts = matches!(
            unit,
            Unit::Program | Unit::Procedure | Unit::PureProcedure | Unit::ModuleProcedure
        );
        let mut around = self.stack.iter().rev().skip(1);
        let interface = around.any(|entry| *entry == Entry::Construct(Construct::Interface));
        let opened = matches!(self.stack.last(), Some(Entry::Unit { .. }));
        if self.procedures && acts && !interface && opened {
            let path = self.path_of_units();
            self.push_procedure(path, Some(at));
        }
    }

    /// A main program has begun without saying so.
    pub(super) fn begin_main(&mut self) {
        if self.procedures {
            self.push_procedure(vec![MAIN.to_owned()], None);
        }
    }

    fn push_procedure(&mut self, path: Vec<String>, declared: Option<usize>) {
        let closed = self.suspended;
        let depth = self.branches.depth();
        let procedure = Procedure {
            path,
            declared,
            body: None,
            exits: Vec::new(),
            entries: Vec::new(),
            end: None,
            closed,
            external: false,
            depth,
            contains: false,
        };
        if let Some(unit) = self.current_unit() {
            self.nest.units[unit].procedure = Some(procedure);
        }
    }

    /// The names of the open units.
    pub(super) fn path_of_units(&self) -> Vec<String> {
        let ids = self.stack.iter().filter_map(|entry| match entry {
            Entry::Unit { id, .. } => Some(*id),
            _ => None,
        });
        ids.filter_map(|id| self.scan.names.get(self.nest.units[id].first).cloned()).collect()
    }

    /// A statement, before the nesting takes it.
    pub(super) fn follow_procedure(&mut self, at: usize, class: Class, label: u32) {
        if matches!(class, Class::Unit(_)) {
            return;
        }
        let unit = self.enter_unit(at);
        let no_exit =
            |entry: &Entry| matches!(entry, Entry::Omp(..) | Entry::Do { concurrent: true, .. });
        let in_construct = self.stack.iter().any(no_exit);
        let declares =
            self.stack.iter().rev().take_while(|entry| !matches!(entry, Entry::Unit { .. }));
        let declares = declares.into_iter().any(|entry| {
            use Construct::{Enum, Interface, Type};
            matches!(entry, Entry::Construct(Enum | Interface | Type))
        });
        let ends_loop = label != 0 && self.ends_loop(label);
        let (role, depth) = (self.scan.role(at), self.branches.depth());
        let (device, external) = (self.nest.units[unit].device, self.external());
        let Some(procedure) = &mut self.nest.units[unit].procedure else { return };
        if class == Class::EndUnit {
            procedure.finish(at, device, external);
        } else if declares {
            procedure.declare(at);
        } else {
            match role {
                Role::Declaration => procedure.declare(at),
                Role::Action => procedure.act(at),
                Role::Exit { inside_if, .. } => {
                    procedure.act(at);
                    // The program ends: the runtime closes what a team has open.
                    if !in_construct {
                        procedure.exits.push(at);
                    }
                    // Behind a statement that ends a loop, nothing can be put into the loop.
                    procedure.closed |= inside_if.is_some() && ends_loop;
                }
                Role::Entry if procedure.body.is_none() => procedure.declare(at),
                Role::Entry => procedure.entries.push(at),
                Role::Contains => {
                    procedure.contains = true;
                    procedure.exits.push(at);
                    procedure.closed |= depth != procedure.depth;
                }
            }
        }
    }

    /// A directive: declarations and what is for the compiler alone do not begin the body.
    pub(super) fn directive_of_procedure(&mut self, at: usize, directive: usize) {
        let Some(unit) = self.current_unit() else { return };
        let parsed = &self.parsed[directive];
        let behind = self.behind(at).map(|(behind, _)| self.scan.role(behind));
        let before_declaration = behind == Some(Role::Declaration);
        let Some(procedure) = &mut self.nest.units[unit].procedure else { return };
        match &parsed.kind {
            directives::Kind::Declarative => {
                // Nothing is called in a loop of vector instructions.
                procedure.closed |= parsed.name == "declare simd";
                procedure.declare(at);
            }
            directives::Kind::Unknown
            | directives::Kind::User(User::Suspend | User::Resume)
            | directives::Kind::End => {}
            // It may become a directive that declares.
            _ if parsed.may_become_any() && before_declaration => procedure.declare(at),
            _ => procedure.act(at),
        }
    }
}

impl Procedure {
    fn declare(&mut self, at: usize) {
        if self.body.is_none() {
            self.declared = Some(at);
        }
    }

    fn act(&mut self, at: usize) {
        self.body = self.body.or(Some(at));
    }

    fn finish(&mut self, at: usize, device: bool, external: bool) {
        if !self.contains {
            self.exits.push(at);
        }
        self.end = Some(at);
        self.closed |= device;
        self.external = external;
    }
}
