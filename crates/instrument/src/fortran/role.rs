//! What a statement is for the procedure that it is in: a declaration, an action, a way out. Only
//! asked for where procedures get events; the nesting does not need it.

use super::class::{Class, Construct};
use super::heading::Unit;
use std::collections::HashSet;

/// The part that a statement plays in its procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) enum Role {
    /// It declares, and comes before all actions.
    Declaration,
    /// It acts.
    #[default]
    Action,
    /// RETURN or STOP. `Some`: it is the action of a one-line IF; where it begins.
    Exit { returns: bool, inside_if: Option<usize> },
    /// ENTRY.
    Entry,
    /// CONTAINS.
    Contains,
}

/// Finds roles, statement by statement, in the order of the text.
#[derive(Debug, Default)]
pub(super) struct Roles {
    /// Names of this unit that may be arrays: an assignment to an element looks like the
    /// definition of a statement function.
    arrays: HashSet<Vec<u8>>,
}

impl Roles {
    /// The role of a statement in the classifier's normal form; positions are indices into `text`.
    pub(super) fn role(&mut self, text: &[u8], class: Class, fixed: bool) -> Role {
        use Construct::{Enum, Interface, Type};
        match class {
            Class::Unit(_) => {
                self.arrays.clear();
                Role::Declaration
            }
            Class::Open(Enum | Interface | Type) | Class::End(Enum | Interface | Type) => {
                Role::Declaration
            }
            Class::Preamble | Class::Include | Class::ImplicitNoneExternal => Role::Declaration,
            Class::Other => self.other(text, fixed),
            _ => Role::Action,
        }
    }

    fn other(&mut self, text: &[u8], fixed: bool) -> Role {
        let shape = Shape::of(text);
        if shape.declares {
            self.declare(text);
            return Role::Declaration;
        }
        if shape.assigns || shape.points {
            return if self.is_statement_function(text) { Role::Declaration } else { Role::Action };
        }
        let begins = |word: &[u8]| word_begins(text, word, fixed);
        if DECLARATIONS.iter().any(|word| begins(word)) {
            self.declare(text);
            return Role::Declaration;
        }
        if begins(b"entry") {
            return Role::Entry;
        }
        if text == b"contains" {
            return Role::Contains;
        }
        match action_of_if(text) {
            Some(at) => exit(&text[at..], fixed, Some(at)),
            None => exit(text, fixed, None),
        }
    }

    /// Remembers the names that a declaration may make arrays of.
    fn declare(&mut self, text: &[u8]) {
        // Behind the attributes, or the keyword; fixed form has no blank behind that.
        let keywords = DECLARATIONS.iter().filter(|word| text.starts_with(word));
        let keyword = keywords.map(|word| word.len()).max().unwrap_or(0);
        let names = memchr::memmem::find(text, b"::").map_or(keyword, |colons| colons + 2);
        let attribute = [&b"dimension"[..], b"allocatable", b"pointer"]
            .iter()
            .any(|word| memchr::memmem::find(&text[..names], word).is_some());
        let mut rest = &text[names..];
        while !rest.is_empty() {
            let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
            let length = rest.iter().take_while(is_name).count().max(1);
            let (name, behind) = rest.split_at(length);
            // `real*8a(3)`
            let digits = name.iter().take_while(|byte| byte.is_ascii_digit()).count();
            if attribute || behind.trim_ascii_start().first() == Some(&b'(') {
                self.arrays.insert(name[digits..].to_vec());
            }
            rest = behind;
        }
    }

    /// `f(x, y) = ...` with names between the parentheses.
    fn is_statement_function(&self, text: &[u8]) -> bool {
        let Some(open) = memchr::memchr(b'(', text) else { return false };
        let name = text[..open].trim_ascii_end();
        let Some(length) = memchr::memchr(b')', &text[open..]) else { return false };
        let list = &text[open + 1..open + length];
        let rest = text[open + length + 1..].trim_ascii_start();
        let named = |item: &[u8]| {
            item.first().is_some_and(u8::is_ascii_alphabetic)
                && item.iter().all(|&byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        let names = list.split(|&byte| byte == b',').map(<[u8]>::trim_ascii);
        rest.first() == Some(&b'=')
            && named(name)
            && (list.trim_ascii().is_empty() || names.into_iter().all(named))
            && !self.arrays.contains(name)
    }
}

/// RETURN, STOP, ERROR STOP, or anything else.
fn exit(text: &[u8], fixed: bool, inside_if: Option<usize>) -> Role {
    let error = text.strip_prefix(b"error").map(<[u8]>::trim_ascii_start);
    let stops = word_begins(text, b"stop", fixed)
        || error.is_some_and(|rest| word_begins(rest, b"stop", fixed));
    let returns = word_begins(text, b"return", fixed);
    if stops || returns { Role::Exit { returns, inside_if } } else { Role::Action }
}

/// Where the action of a one-line IF begins.
fn action_of_if(text: &[u8]) -> Option<usize> {
    let open = text.strip_prefix(b"if")?.trim_ascii_start();
    let start = text.len() - open.len();
    let mut depth = 0usize;
    for (at, &byte) in text.iter().enumerate().skip(start) {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.checked_sub(1)?,
            _ if depth == 0 => return None,
            _ => {}
        }
        if depth == 0 {
            let action = text[at + 1..].trim_ascii_start();
            return Some(text.len() - action.len());
        }
    }
    None
}

/// Whether a statement begins with this word; in free form the word must end there.
fn word_begins(text: &[u8], word: &[u8], fixed: bool) -> bool {
    let ends = |byte: &u8| !(byte.is_ascii_alphanumeric() || *byte == b'_');
    text.starts_with(word) && (fixed || text.get(word.len()).is_none_or(ends))
}

/// What is at the top level of a statement.
#[derive(Default)]
struct Shape {
    /// `::`
    declares: bool,
    /// `=`
    assigns: bool,
    /// `=>`
    points: bool,
}

impl Shape {
    fn of(text: &[u8]) -> Self {
        let mut shape = Self::default();
        let mut depth = 0usize;
        for (at, &byte) in text.iter().enumerate() {
            let next = text.get(at + 1).copied().unwrap_or(0);
            let before = at.checked_sub(1).map_or(0, |at| text[at]);
            match byte {
                b'(' => depth += 1,
                b')' => depth = depth.saturating_sub(1),
                _ if depth > 0 => {}
                b':' if next == b':' => shape.declares = true,
                b'=' if next == b'>' => shape.points = true,
                b'=' if next != b'=' && !b"=<>/".contains(&before) => shape.assigns = true,
                _ => {}
            }
        }
        shape
    }
}

/// Words that begin statements of the specification part, and no others without `=`.
const DECLARATIONS: &[&[u8]] = &[
    b"integer",
    b"real",
    b"double",
    b"doubleprecision",
    b"doublecomplex",
    b"complex",
    b"logical",
    b"character",
    b"type",
    b"class",
    b"byte",
    b"procedure",
    b"dimension",
    b"parameter",
    b"data",
    b"common",
    b"equivalence",
    b"external",
    b"intrinsic",
    b"save",
    b"namelist",
    b"public",
    b"private",
    b"protected",
    b"allocatable",
    b"pointer",
    b"target",
    b"optional",
    b"intent",
    b"value",
    b"volatile",
    b"asynchronous",
    b"contiguous",
    b"codimension",
    b"bind",
    b"generic",
    b"format",
    b"record",
    b"automatic",
    b"static",
];

/// The name of a program unit or procedure, from its statement.
pub(super) fn unit_name(text: &[u8], unit: Unit, fixed: bool) -> Option<String> {
    let keywords: &[&[u8]] = match unit {
        Unit::Program => &[b"program"],
        Unit::Module => &[b"module"],
        Unit::Submodule => &[b"submodule"],
        Unit::BlockData => return None,
        Unit::Procedure | Unit::PureProcedure | Unit::SimpleProcedure => {
            &[b"subroutine", b"function"]
        }
        Unit::ModuleProcedure => &[b"procedure"],
    };
    let rest = behind_keyword(text, keywords, fixed)?;
    // `submodule (parent) name`
    let rest = match rest.first() {
        Some(b'(') => &rest[memchr::memchr(b')', rest)? + 1..],
        _ => rest,
    };
    entry_name(rest.trim_ascii_start())
}

/// The name that a text begins with.
pub(super) fn entry_name(text: &[u8]) -> Option<String> {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
    let length = text.iter().take_while(|byte| is_name(byte)).count();
    (length > 0).then(|| String::from_utf8_lossy(&text[..length]).into_owned())
}

/// What follows the first of these words outside of parentheses.
fn behind_keyword<'a>(text: &'a [u8], keywords: &[&[u8]], fixed: bool) -> Option<&'a [u8]> {
    let mut depth = 0usize;
    let mut fresh = true;
    for (at, &byte) in text.iter().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && (fixed || fresh) {
            let found = keywords.iter().find(|word| word_begins(&text[at..], word, fixed));
            if let Some(word) = found {
                return Some(text[at + word.len()..].trim_ascii_start());
            }
        }
        fresh = !(byte.is_ascii_alphanumeric() || byte == b'_');
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::class::classify;
    use super::*;
    use expect_test::{Expect, expect};
    use std::fmt::Write;

    fn check(fixed: bool, statements: &str, expected: Expect) {
        let mut roles = Roles::default();
        let mut output = String::new();
        for statement in statements.lines() {
            let text: String =
                if fixed { statement.split(' ').collect() } else { statement.to_owned() };
            let role = roles.role(text.as_bytes(), classify(text.as_bytes(), fixed), fixed);
            writeln!(output, "{statement} => {role:?}").unwrap();
        }
        expected.assert_eq(&output);
    }

    #[test]
    fn declarations_and_actions() {
        check(
            false,
            "subroutine s(x)\nuse m, only: a => b\nimplicit none\ninteger, parameter :: n = 3\n\
             real a(n), y\ndata y /1/\nprocedure(f), pointer :: p => null()\nf(x, y) = x + y\n\
             a(i) = 3\ng() = 1\nh(1) = 2\nrealize = 3\np => y\ncall f(a)\nformat (1x)\ntype t\n\
             print *, x\nnamelist /n/ x\nif (a(1) == 2) x = 3\nx = a(1); 3",
            expect![[r#"
                subroutine s(x) => Declaration
                use m, only: a => b => Declaration
                implicit none => Declaration
                integer, parameter :: n = 3 => Declaration
                real a(n), y => Declaration
                data y /1/ => Declaration
                procedure(f), pointer :: p => null() => Declaration
                f(x, y) = x + y => Declaration
                a(i) = 3 => Action
                g() = 1 => Declaration
                h(1) = 2 => Action
                realize = 3 => Action
                p => y => Action
                call f(a) => Action
                format (1x) => Declaration
                type t => Declaration
                print *, x => Action
                namelist /n/ x => Declaration
                if (a(1) == 2) x = 3 => Action
                x = a(1); 3 => Action
            "#]],
        );
    }

    #[test]
    fn ways_out() {
        check(
            false,
            "return\nreturn 1\nreturned = 1\nif (a(1) == (2)) return\nif (x) return n + 1\n\
             if (x) stop\nif (x) stop 'a'\nerror stop 3\nif (x) error stop\nstop\nstopper = 1\n\
             entry f(x)\ncontains\nif (x) call stop",
            expect![[r#"
                return => Exit { returns: true, inside_if: None }
                return 1 => Exit { returns: true, inside_if: None }
                returned = 1 => Action
                if (a(1) == (2)) return => Exit { returns: true, inside_if: Some(17) }
                if (x) return n + 1 => Exit { returns: true, inside_if: Some(7) }
                if (x) stop => Exit { returns: false, inside_if: Some(7) }
                if (x) stop 'a' => Exit { returns: false, inside_if: Some(7) }
                error stop 3 => Exit { returns: false, inside_if: None }
                if (x) error stop => Exit { returns: false, inside_if: Some(7) }
                stop => Exit { returns: false, inside_if: None }
                stopper = 1 => Action
                entry f(x) => Entry
                contains => Contains
                if (x) call stop => Action
            "#]],
        );
    }

    #[test]
    fn fixed_form() {
        check(
            true,
            "SUBROUTINE S\nREAL A(10)\nF(X) = X\nA(I) = 1\nIF (A(1) .EQ. 2) RETURN\nRETURN 1\nSTOP\n\
             ENTRY E(X)\nIF (A) 10, 20, 30\nRETURNS = 1\nDOUBLE PRECISION D\nGOTO 10"
                .to_lowercase()
                .as_str(),
            expect![[r#"
                subroutine s => Declaration
                real a(10) => Declaration
                f(x) = x => Declaration
                a(i) = 1 => Action
                if (a(1) .eq. 2) return => Exit { returns: true, inside_if: Some(13) }
                return 1 => Exit { returns: true, inside_if: None }
                stop => Exit { returns: false, inside_if: None }
                entry e(x) => Entry
                if (a) 10, 20, 30 => Action
                returns = 1 => Action
                double precision d => Declaration
                goto 10 => Action
            "#]],
        );
    }

    #[test]
    fn names() {
        let name = |text: &str, unit, fixed| unit_name(text.as_bytes(), unit, fixed);
        assert_eq!(name("program p", Unit::Program, false).as_deref(), Some("p"));
        assert_eq!(name("submodule (a:b) c", Unit::Submodule, false).as_deref(), Some("c"));
        let head = "type(function_t) recursive function f(x) result(r)";
        assert_eq!(name(head, Unit::Procedure, false).as_deref(), Some("f"));
        assert_eq!(name("realfunctionf(x)", Unit::Procedure, true).as_deref(), Some("f"));
        assert_eq!(name("module procedure q", Unit::ModuleProcedure, false).as_deref(), Some("q"));
    }
}
