//! The statements that a program unit or procedure begins with.

use super::cursor::Cursor;

/// A program unit or procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// `program`.
    Program,
    /// `module`.
    Module,
    /// `submodule`.
    Submodule,
    /// `block data`.
    BlockData,
    /// A subroutine or function.
    Procedure,
    /// One with the prefix `pure` or `elemental` (and not `impure`).
    PureProcedure,
    /// One with the prefix `simple`: it may only call others of its kind.
    SimpleProcedure,
    /// `module procedure`: a body in a submodule, a list of names in an interface.
    ModuleProcedure,
}

impl Unit {
    /// Whether it has a name by which it is called.
    pub(super) fn is_procedure(self) -> bool {
        use Unit::{ModuleProcedure, Procedure, PureProcedure, SimpleProcedure};
        matches!(self, Procedure | PureProcedure | SimpleProcedure | ModuleProcedure)
    }
}

/// What a statement begins, if anything: a program unit, or a procedure with any prefix.
pub(super) fn unit(cursor: Cursor) -> Option<Unit> {
    if cursor.eat(b"block").is_some_and(|rest| rest.eat(b"data").is_some()) {
        return Some(Unit::BlockData);
    }
    if let Some(rest) = cursor.eat_word(b"submodule") {
        return rest.starts(b"(").then_some(Unit::Submodule);
    }
    if let Some(rest) = cursor.eat_word(b"program") {
        return (!rest.is_empty() && rest.is_optional_name()).then_some(Unit::Program);
    }
    if let Some(procedure) = procedure(cursor) {
        return Some(procedure);
    }
    let rest = cursor.eat_word(b"module")?;
    if rest.eat_word(b"procedure").is_some_and(|rest| !rest.is_empty()) {
        return Some(Unit::ModuleProcedure);
    }
    (!rest.is_empty() && rest.is_optional_name()).then_some(Unit::Module)
}

/// A SUBROUTINE or FUNCTION statement, whatever stands in front.
fn procedure(mut cursor: Cursor) -> Option<Unit> {
    const PREFIXES: [&[u8]; 8] = [
        b"non_recursive",
        b"recursive",
        b"impure",
        b"elemental",
        b"pure",
        b"simple",
        b"module",
        b"attributes",
    ];
    const TYPES: [&[u8]; 11] = [
        b"integer",
        b"real",
        b"doubleprecision",
        b"double",
        b"complex",
        b"precision",
        b"logical",
        b"character",
        b"type",
        b"class",
        b"byte",
    ];
    let (mut pure, mut impure, mut simple) = (false, false, false);
    loop {
        if let Some(rest) = cursor.eat_word(b"subroutine") {
            return procedure_name(rest, false).then(|| kind_of(pure && !impure, simple));
        }
        if let Some(rest) = cursor.eat_word(b"function") {
            return procedure_name(rest, true).then(|| kind_of(pure && !impure, simple));
        }
        if let Some(prefix) = PREFIXES.iter().find(|word| cursor.eat_word(word).is_some()) {
            pure |= matches!(*prefix, b"pure" | b"elemental");
            impure |= *prefix == b"impure";
            simple |= *prefix == b"simple";
            cursor = cursor.eat(prefix)?;
            cursor = cursor.parentheses().unwrap_or(cursor);
            continue;
        }
        let word = TYPES.iter().find(|word| cursor.eat_word(word).is_some())?;
        cursor = type_length(cursor.eat(word)?);
    }
}

/// Skips `*8`, `*(*)` and `(kind)` after a type's name.
fn type_length(cursor: Cursor) -> Cursor {
    let cursor = match cursor.eat(b"*") {
        Some(rest) => rest.skip(rest.digits()),
        None => cursor,
    };
    cursor.parentheses().unwrap_or(cursor)
}

/// A name, which a function's argument list must follow.
fn procedure_name(cursor: Cursor, needs_list: bool) -> bool {
    let starts_right = cursor.text.first().is_some_and(|c| c.is_ascii_alphabetic());
    starts_right && (!needs_list || cursor.skip(cursor.name()).starts(b"("))
}

fn kind_of(pure: bool, simple: bool) -> Unit {
    match (simple, pure) {
        (true, _) => Unit::SimpleProcedure,
        (_, true) => Unit::PureProcedure,
        _ => Unit::Procedure,
    }
}
