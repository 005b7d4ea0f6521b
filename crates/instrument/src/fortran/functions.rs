//! Events of procedures: a call behind the specification part, and one in front of every way out.
//! A one-line IF that leaves becomes a block; a label goes to the call in front of its statement,
//! so that jumps to it pass the call.
//!
//! Behind an ENTRY the region of its name is entered, and a variable says which one to leave. Who
//! comes from above, in a region already, jumps over that.
//!
//! In a PURE procedure only PURE ones may be called. Ours are said to be: they change nothing that
//! the program can see, and compilers keep calls of subroutines. An interface of the procedure says
//! so, under a name of C, since compilers compare interfaces of Fortran's names with what they see.

use super::class::Class;
use super::heading::Unit;
use super::rewrite::Rewriter;
use super::role::Role;
use super::scan::{Cpp, Kind, Statement};
use super::site::{Procedure, UnitSite};
use super::text::Extra;
use crate::Region;
use crate::functions::{Named, region};

/// A procedure that gets events.
pub(super) struct Function<'a> {
    unit: usize,
    procedure: &'a Procedure,
    /// Number of its region; those of its entries follow it.
    number: u32,
    /// What the calls are passed: the number, or the variable that holds it.
    argument: String,
    /// It is PURE, or may be: its interface body, which says so, may be in another file.
    pure: bool,
}

/// Where the specification part of a procedure ends, and its first call stands.
enum Beginning {
    /// It has none: before the first statement.
    First,
    /// After these statements. Several are in the branches of one preprocessor group.
    After(Vec<usize>),
}

impl Beginning {
    /// The first of the statements.
    fn first(&self) -> Option<usize> {
        match self {
            Self::First => None,
            Self::After(all) => all.first().copied(),
        }
    }
}

impl<'a> Rewriter<'a> {
    /// Puts in the calls at the beginnings.
    pub(super) fn begin_functions(&mut self) -> Vec<Function<'a>> {
        let facts = self.facts;
        let units: &'a [UnitSite] = &facts.nest.units;
        let mut functions = Vec::new();
        for (unit, site) in units.iter().enumerate() {
            let Some(procedure) = site.procedure.as_ref().filter(|one| !one.closed) else {
                continue;
            };
            let Some(begin) = self.beginning(site.first, procedure) else { continue };
            if !self.is_possible(procedure, begin.first()) {
                continue;
            }
            let Some(regions) = self.regions_of(procedure, site) else { continue };
            let mut numbers = regions.into_iter().map(|region| self.plans.push(region));
            let Some(number) = numbers.next() else { continue };
            numbers.for_each(drop);
            self.plans.functions += 1;
            let argument = match procedure.entries.is_empty() {
                true => number.to_string(),
                false => self.names.local('f', number),
            };
            let pure = matches!(
                self.statement(site.first).kind,
                Kind::Code(Class::Unit(Unit::PureProcedure | Unit::ModuleProcedure))
            );
            let function = Function { unit, procedure, number, argument, pure };
            self.enter_function(&function, &begin);
            functions.push(function);
        }
        functions
    }

    /// Where the specification part ends; `None` if there is no place for the call.
    fn beginning(&self, first: usize, procedure: &Procedure) -> Option<Beginning> {
        let Some(declared) = procedure.declared else { return Some(Beginning::First) };
        let end = self.past_conditional(first, declared);
        match procedure.body {
            Some(body) if body < end => {
                self.specifications_in_branches(first, end).map(Beginning::After)
            }
            _ => Some(Beginning::After(vec![end])),
        }
    }

    /// The ends of the specification part in the branches of a preprocessor group that begins in it
    /// and ends, at `end`, among the actions. There must be a branch for all other cases, and no
    /// further group in one may have declarations and actions.
    fn specifications_in_branches(&self, first: usize, end: usize) -> Option<Vec<usize>> {
        let mut found: Vec<usize> = Vec::new();
        let mut depth = 0usize;
        // Within a group inside of a branch: whether it declares and acts.
        let (mut declares, mut acts) = (false, false);
        let mut has_else = false;
        for at in first + 1..=end {
            match self.statement(at).kind {
                Kind::Cpp(Cpp::If(_)) => {
                    depth += 1;
                    match depth {
                        1 => (found, has_else) = (vec![at], false),
                        _ => (declares, acts) = (false, false),
                    }
                }
                Kind::Cpp(Cpp::Else) if depth == 1 => {
                    found.push(at);
                    has_else = self.is_else(at);
                }
                Kind::Cpp(Cpp::Endif) => {
                    depth = depth.saturating_sub(1);
                    if depth > 0 && declares {
                        *found.last_mut()? = at;
                    }
                    if depth > 0 && declares && acts {
                        return None;
                    }
                }
                Kind::Code(_) if self.facts.scan.role(at) == Role::Declaration => match depth {
                    0 => {}
                    1 => *found.last_mut()? = at,
                    _ => declares = true,
                },
                Kind::Code(_) => acts = true,
                _ => {}
            }
        }
        has_else.then_some(found)
    }

    /// `#else`, and not `#elif`.
    fn is_else(&self, at: usize) -> bool {
        let line = self.facts.scan.lines[self.statement(at).first];
        let text = self.source[line.start..line.end].trim_ascii_start();
        let word = text.strip_prefix(b"#").unwrap_or(text).trim_ascii_start();
        word.starts_with(b"else")
    }

    /// Whether every way out comes behind the first call, and can be changed.
    fn is_possible(&self, procedure: &Procedure, begin: Option<usize>) -> bool {
        let behind = |at: &usize| begin.is_none_or(|begin| *at > begin);
        let mendable = |at: &usize| match self.facts.scan.role(*at) {
            Role::Exit { inside_if: Some(at), .. } => self.is_whole_word(at),
            _ => true,
        };
        procedure.end.is_some()
            && procedure.exits.iter().all(behind)
            && procedure.exits.iter().all(mendable)
    }

    /// Whether RETURN, STOP or ERROR is in one line. In fixed form it may have blanks inside.
    fn is_whole_word(&self, at: usize) -> bool {
        let fixed = self.writer.form.is_fixed();
        let blank = |byte: &&u8| !(fixed && matches!(byte, b' ' | b'\t'));
        let written: Vec<u8> = self.source[at..].iter().filter(blank).take(6).copied().collect();
        let words = [&b"return"[..], b"stop", b"error"];
        words.iter().any(|word| {
            written.get(..word.len()).is_some_and(|text| text.eq_ignore_ascii_case(word))
        })
    }

    /// The regions of a procedure and its entries; `None` if one of them is not wanted.
    fn regions_of(&self, procedure: &Procedure, site: &UnitSite) -> Option<Vec<Region>> {
        let names = &self.facts.scan.names;
        let entries = procedure.entries.iter().map(|at| (*at, names.get(*at)));
        let own = (site.first, procedure.path.last());
        let all = [own].into_iter().chain(entries);
        all.map(|(at, name)| self.region_of(procedure, at, name?)).collect()
    }

    fn region_of(&self, procedure: &Procedure, at: usize, name: &str) -> Option<Region> {
        let hosts = &procedure.path[..procedure.path.len() - 1];
        let path: Vec<&str> = hosts.iter().map(String::as_str).chain([name]).collect();
        let facts = self.facts;
        let last = procedure.end.map_or(0, |end| facts.lines(end).1);
        let file = facts.places.other_file(self.statement(at).first).map(str::to_owned);
        let lines = (facts.lines(at).0, last);
        region(facts.options, Named { name: &path.join("::"), lines, file })
    }

    fn enter_function(&mut self, function: &Function, begin: &Beginning) {
        if function.has_entries() {
            self.declare_statement(function.unit, &format!("integer :: {}", function.argument));
        }
        let write = |this: &mut Self| {
            if function.has_entries() {
                this.assign(function, function.number);
            }
            this.call_function("Begin", function);
        };
        match begin {
            Beginning::First => {
                self.first_before(self.facts.nest.units[function.unit].first, write);
            }
            Beginning::After(one) if one.len() == 1 => self.after(one[0], write),
            Beginning::After(several) => {
                several.iter().for_each(|&at| self.after_in_branch(at, write));
            }
        }
        for (index, &entry) in function.procedure.entries.iter().enumerate() {
            let label = self.free_label();
            self.insert_in_front(entry, |this| this.write_statement(&format!("goto {label}")));
            self.first_in_branch(entry, |this| {
                this.assign(function, function.number + 1 + index as u32);
                this.call_function("Begin", function);
                this.writer.labelled(this.edits.text(), label, "continue");
            });
        }
    }

    fn assign(&mut self, function: &Function, number: u32) {
        self.write_statement(&format!("{} = {number}", function.argument));
    }

    fn call_function(&mut self, what: &'static str, function: &Function) {
        let call = self.function_call(what, function);
        self.write_statement(&call);
    }

    fn labelled_end(&mut self, function: &Function, label: u32) {
        let call = self.function_call("End", function);
        self.writer.labelled(self.edits.text(), label, &call);
    }

    /// A call, whose routine is declared where it has to be.
    fn function_call(&mut self, what: &'static str, function: &Function) -> String {
        let name = self.names.routine(("", what), Some(&[Extra::Nothing])).to_owned();
        if function.pure {
            let pure = self.names.pure(what, &name);
            let interface = self.pure_interface(&pure);
            self.declare(function.unit, interface);
            return match function.has_entries() {
                true => format!("call {pure}(int({},4))", function.argument),
                false => format!("call {pure}({}_4)", function.argument),
            };
        }
        if let Some(unit) = function.external() {
            self.declare_external(unit, &name);
        }
        format!("call {name}({})", function.argument)
    }

    fn pure_interface(&self, name: &str) -> Vec<u8> {
        let mut out = Vec::new();
        let prefix = self.names.prefix();
        for line in [
            "interface",
            &format!("pure subroutine {name}({prefix}n) bind(C,name='{name}')"),
            &format!("use, intrinsic :: iso_c_binding, only : {prefix}k=>c_int"),
            &format!("integer({prefix}k), value :: {prefix}n"),
            "end subroutine",
            "end interface",
        ] {
            self.writer.statement(&mut out, line);
        }
        out
    }

    /// Puts in the calls at the ways out, behind everything else that ends there.
    pub(super) fn end_functions(&mut self, functions: &[Function]) {
        for function in functions {
            for &exit in &function.procedure.exits {
                if self.is_reached(exit) {
                    self.leave_function(function, exit);
                }
            }
        }
    }

    /// Nothing comes to an END behind a RETURN, if it has no label.
    fn is_reached(&self, exit: usize) -> bool {
        let leaves =
            |at: usize| matches!(self.facts.scan.role(at), Role::Exit { inside_if: None, .. });
        let label = self.statement(exit).label;
        leaves(exit) || label != 0 || !exit.checked_sub(1).is_some_and(leaves)
    }

    fn leave_function(&mut self, function: &Function, exit: usize) {
        let statement = self.statement(exit);
        if let Role::Exit { inside_if: Some(action), .. } = self.facts.scan.role(exit) {
            return self.leave_inside_if(function, exit, action);
        }
        let label = if statement.label == 0 { None } else { self.label_of(statement) };
        if let Some(digits) = &label {
            self.edits.replace(digits.clone(), " ".repeat(digits.len()));
        }
        self.insert_in_front(exit, |this| match label {
            Some(_) => this.labelled_end(function, statement.label),
            None => this.call_function("End", function),
        });
    }

    /// `if (c) return` becomes a block around the call and the RETURN.
    fn leave_inside_if(&mut self, function: &Function, exit: usize, action: usize) {
        let line = self.facts.scan.lines.partition_point(|line| line.next <= action);
        let from = self.out().len();
        self.out().extend_from_slice(b"then\n");
        self.call_function("End", function);
        if self.facts.options.line_markers {
            self.facts.places.push_marker(self.edits.text(), line);
        }
        self.edits.text().extend_from_slice(self.writer.form.indent().as_bytes());
        self.edits.insert_written(action, 0, from);
        self.first_in_branch(exit, |this| this.write_statement("end if"));
    }

    /// Inserts lines in front of a statement, which may stand behind a `;`.
    fn insert_in_front(&mut self, at: usize, write: impl FnOnce(&mut Self)) {
        let first = self.statement(at).first;
        let before = at.checked_sub(1).filter(|&before| {
            let before = self.statement(before);
            matches!(before.kind, Kind::Code(_))
                && before.last == first
                && before.semicolon.is_some()
        });
        match before {
            Some(before) => self.after_in_branch(before, write),
            None => self.before(at, write),
        }
    }

    /// Where the digits of a label are.
    fn label_of(&self, statement: Statement) -> Option<std::ops::Range<usize>> {
        let line = self.facts.scan.lines[statement.first];
        let from = if self.writer.form.is_fixed() { line.start } else { statement.start };
        let blank = |byte: &u8| !byte.is_ascii_digit();
        let start = from + self.source[from..line.end].iter().position(|byte| !blank(byte))?;
        // In fixed form, blanks may lie between the digits.
        let end = if self.writer.form.is_fixed() {
            statement.start.min(line.start + 5)
        } else {
            line.end
        };
        let behind = &self.source[start..end.max(start)];
        let length = match self.writer.form.is_fixed() {
            true => behind.iter().rposition(u8::is_ascii_digit)? + 1,
            false => behind.iter().take_while(|byte| byte.is_ascii_digit()).count(),
        };
        Some(start..start + length)
    }

    /// A label that the text does not have.
    fn free_label(&mut self) -> u32 {
        let facts = self.facts;
        let labels = self.labels.get_or_insert_with(|| {
            facts.scan.statements.iter().map(|statement| statement.label).collect()
        });
        let mut label = self.next_label;
        while !labels.insert(label) {
            label -= 1;
        }
        self.next_label = label - 1;
        label
    }
}

impl Function<'_> {
    fn external(&self) -> Option<usize> {
        self.procedure.external.then_some(self.unit)
    }

    fn has_entries(&self) -> bool {
        !self.procedure.entries.is_empty()
    }
}
