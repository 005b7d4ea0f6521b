//! Which variables of a unit have a type of the language, and lie in memory without gaps. Only
//! declarations with `::` are read: a name that has none, or several, is not known.

use super::class::Class;
use std::collections::HashMap;

/// A variable with a type of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Declared {
    /// A scalar, or an array whose elements follow each other in memory.
    Contiguous,
    /// An array that may be a part of another one.
    Other,
    /// Something else: another type, or several declarations.
    Unknown,
}

/// What the variables of a unit are, by their names in lower case.
#[derive(Debug, Default)]
pub(super) struct Declarations {
    names: HashMap<String, Declared>,
    /// Statements that may give a name another meaning.
    others: Vec<String>,
    /// Dummy arguments: without a declaration nothing is known of them.
    arguments: String,
    /// Other names may come from modules and files.
    has_more: bool,
}

impl Declarations {
    /// What is known of a name; `None` if it may belong to the host.
    pub fn get(&self, name: &str) -> Option<Declared> {
        if self.others.iter().any(|text| has_word(text, name)) {
            return Some(Declared::Unknown);
        }
        let is_own = self.has_more || has_word(&self.arguments, name);
        self.names.get(name).copied().or(is_own.then_some(Declared::Unknown))
    }

    /// Takes a statement, without blanks and in lower case.
    pub fn take(&mut self, text: &str, class: Class) {
        const MORE: [&str; 6] =
            ["dimension", "pointer", "allocatable", "common", "equivalence", "codimension"];
        let parenthesis = text.find('(').map_or("", |at| &text[at..]);
        match class {
            Class::Unit(_) => self.arguments.push_str(parenthesis),
            Class::Preamble => self.has_more |= text.starts_with("use"),
            Class::Include => self.has_more = true,
            Class::Open(_) => self.others.push(parenthesis.to_owned()),
            _ => match (declaration(text), MORE.iter().find_map(|word| text.strip_prefix(word))) {
                (Some((head, names)), _) => self.declare(&Attributes::of(head), names),
                (None, Some(rest)) => self.others.push(rest.to_owned()),
                (None, None) => {}
            },
        }
    }

    fn declare(&mut self, attributes: &Attributes, names: &str) {
        for entity in split(names) {
            let name = entity.split(['(', '=', '*', '[']).next().unwrap_or_default();
            let declared = attributes.declared(&entity[name.len()..]);
            let known = self.names.entry(name.to_owned());
            known.and_modify(|known| *known = Declared::Unknown).or_insert(declared);
        }
    }
}

/// A declaration, cut at its `::`. In other statements this is in an array constructor.
fn declaration(text: &str) -> Option<(&str, &str)> {
    let (head, names) = text.split_once("::")?;
    let open = head.matches('(').count() == head.matches(')').count();
    (open && !head.contains('[')).then_some((head, names))
}

/// Whether a text has this name.
fn has_word(text: &str, name: &str) -> bool {
    text.split(|c: char| !is_in_name(c)).any(|word| word == name)
}

pub(super) fn is_in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// What the part of a declaration in front of `::` says.
struct Attributes {
    is_intrinsic: bool,
    is_pointer: bool,
    is_allocatable: bool,
    shape: Option<String>,
}

impl Attributes {
    fn of(head: &str) -> Attributes {
        const TYPES: [&str; 6] = ["integer", "real", "double", "complex", "logical", "character"];
        let mut attributes = split(head).skip(1);
        let has = |word| split(head).skip(1).any(|attribute| attribute == word);
        Attributes {
            is_intrinsic: TYPES.iter().any(|word| head.starts_with(word)) && !has("external"),
            is_pointer: has("pointer"),
            is_allocatable: has("allocatable") || has("contiguous"),
            shape: attributes.find_map(|of| of.strip_prefix("dimension")).map(str::to_owned),
        }
    }

    /// An entity with these attributes; `rest` is what comes after its name.
    fn declared(&self, rest: &str) -> Declared {
        let rest = rest.split('=').next().unwrap_or_default();
        let shape = if rest.starts_with('(') { Some(rest) } else { self.shape.as_deref() };
        let has_rank = shape.is_none_or(|shape| !shape.contains(".."));
        if !self.is_intrinsic || !has_rank || rest.contains('[') {
            return Declared::Unknown;
        }
        // `a(:)` and `a(2:)` are of assumed shape, if `a` is not allocatable.
        let is_open = shape.is_some_and(|shape| shape.contains(":,") || shape.contains(":)"));
        match is_open && (self.is_pointer || !self.is_allocatable) {
            true => Declared::Other,
            false => Declared::Contiguous,
        }
    }
}

/// The parts between commas that no parenthesis encloses.
pub(super) fn split(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    list.split(move |c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fortran::heading::Unit;

    #[test]
    fn a_name_may_belong_to_the_host() {
        let mut unit = Declarations::default();
        unit.take("subroutinex(b)", Class::Unit(Unit::Procedure));
        assert_eq!(unit.get("a"), None);
        assert_eq!(unit.get("b"), Some(Declared::Unknown));
        unit.take("usem", Class::Preamble);
        assert_eq!(unit.get("a"), Some(Declared::Unknown));
    }
}
