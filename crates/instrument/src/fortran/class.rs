//! What a Fortran statement does to the nesting of a program: opens, closes, or neither.
//!
//! Fortran has no reserved words, so the question is answered in the compiler's own order: first
//! rule out an assignment (a top-level `=`), then match keywords. The text is already lower case,
//! without comments and string contents.

use super::cursor::{Cursor, is_name};
use super::heading::{self, Unit};

/// The effect of one statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Leaves the nesting alone.
    Other,
    /// Opens a program unit or procedure.
    Unit(Unit),
    /// Opens a construct that its own END closes.
    Open(Construct),
    /// A DO statement.
    Do {
        /// The label of its terminal statement, or 0.
        label: u32,
        /// What stands for the construct's name, 0 for none.
        name: u32,
        /// It is a DO CONCURRENT.
        concurrent: bool,
    },
    /// A CYCLE statement.
    Cycle {
        /// It is the action of an IF statement.
        conditional: bool,
        /// What stands for the name of its loop, 0 for none.
        name: u32,
    },
    /// Closes the innermost construct of this kind.
    End(Construct),
    /// `end do`.
    EndDo,
    /// END of a program unit, with or without its words.
    EndUnit,
    /// `implicit none (..., external, ...)`.
    ImplicitNoneExternal,
    /// `use`, `import`, `implicit`: must come before declarations.
    Preamble,
    /// `include 'file'`.
    Include,
}

/// A construct with an END statement of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Construct {
    /// `if (...) then`.
    If,
    /// `select case`, `select type`, `select rank`.
    Select,
    /// `where (...)` without an assignment.
    Where,
    /// `forall (...)` without an assignment.
    Forall,
    /// `associate`.
    Associate,
    /// `block`.
    Block,
    /// The coarray construct `critical`.
    Critical,
    /// `change team`.
    Team,
    /// `interface` in all forms.
    Interface,
    /// A derived type definition, or the vendor's `structure`.
    Type,
    /// `enum`.
    Enum,
}

/// Classifies a normalised statement (see the module's text); `fixed`: it has no blanks.
pub(super) fn classify(text: &[u8], fixed: bool) -> Class {
    // Most statements are assignments and calls: the first letter rules them out.
    let Some(first) = text.first() else { return Class::Other };
    if !first.is_ascii_lowercase() {
        return Class::Other;
    }
    let shape = Shape::of(text);
    let named = shape.construct_name(text);
    let cursor = Cursor { text: &text[named..], fixed };
    if let Some((label, concurrent)) = do_statement(cursor, &shape) {
        let name = shape.colon.filter(|_| named > 0).map_or(b"".as_slice(), |colon| &text[..colon]);
        return Class::Do { label, name: name_number(name), concurrent };
    }
    if shape.equals && !cursor.starts(b"if(") && !cursor.starts(b"if (") {
        return Class::Other;
    }
    let unit = || heading::unit(cursor).map(Class::Unit);
    match cursor.text[0] {
        b'e' => end(cursor).or_else(unit).unwrap_or_else(|| enumeration(cursor)),
        b'c' if cursor.starts(b"cycle") => {
            cycle(cursor).map_or(Class::Other, |name| Class::Cycle { conditional: false, name })
        }
        b'i' => if_statement(cursor)
            .or_else(|| preamble(cursor))
            .or_else(|| interface(cursor))
            .or_else(unit)
            .unwrap_or(Class::Other),
        _ => opening(cursor).or_else(unit).unwrap_or(Class::Other),
    }
}

/// Top-level punctuation of a statement, found in one pass.
#[derive(Default)]
struct Shape {
    /// A `=` outside parentheses that is not part of `==`, `=>`, `<=`, `>=`, `/=`.
    equals: bool,
    /// A comma outside parentheses after that `=`.
    comma_after_equals: bool,
    /// Position of a single `:` that may end a construct name.
    colon: Option<usize>,
}

impl Shape {
    fn of(text: &[u8]) -> Shape {
        let mut shape = Shape::default();
        if memchr::memchr2(b'=', b':', text).is_none() {
            return shape;
        }
        let mut depth = 0i32;
        for (at, &c) in text.iter().enumerate() {
            match c {
                b'(' => depth += 1,
                b')' => depth -= 1,
                _ if depth != 0 => {}
                b'=' => {
                    let before = at.checked_sub(1).map_or(b' ', |p| text[p]);
                    let after = text.get(at + 1).copied().unwrap_or(b' ');
                    let part =
                        matches!(before, b'=' | b'<' | b'>' | b'/') || b"=>".contains(&after);
                    shape.equals |= !part;
                }
                b',' => shape.comma_after_equals |= shape.equals,
                b':' if shape.colon.is_none() && !shape.equals => shape.colon = Some(at),
                _ => {}
            }
        }
        shape
    }

    /// Length of `name:` in front of a construct, 0 if there is none.
    fn construct_name(&self, text: &[u8]) -> usize {
        let Some(colon) = self.colon else { return 0 };
        let name = text[..colon].trim_ascii_end();
        let single = text.get(colon + 1) != Some(&b':');
        let rest = text[colon + 1..].trim_ascii_start();
        if single && !rest.is_empty() && name.iter().all(|c| is_name(*c)) {
            text.len() - rest.len()
        } else {
            0
        }
    }
}

/// The label of a DO statement, or 0, and whether it is a DO CONCURRENT.
fn do_statement(cursor: Cursor, shape: &Shape) -> Option<(u32, bool)> {
    let rest = cursor.eat(b"do")?;
    let count = rest.digits();
    let label = rest.text[..count]
        .iter()
        .fold(0u32, |label, c| label.saturating_mul(10).saturating_add(u32::from(c - b'0')));
    let mut rest = rest.skip(count);
    if let Some(after) = rest.eat(b",") {
        rest = after;
    }
    if shape.equals {
        let name = rest.name();
        let control = rest.skip(name).starts(b"=") && name > 0 && shape.comma_after_equals;
        return control.then_some((label, false));
    }
    let begins = |word: &[u8]| rest.eat(word).is_some_and(|rest| rest.starts(b"("));
    let concurrent = begins(b"concurrent");
    (rest.is_empty() || concurrent || begins(b"while")).then_some((label, concurrent))
}

fn if_statement(cursor: Cursor) -> Option<Class> {
    let rest = cursor.eat(b"if")?.parentheses()?;
    if let Some(name) = cycle(rest) {
        return Some(Class::Cycle { conditional: true, name });
    }
    (rest.text == b"then").then_some(Class::Open(Construct::If))
}

/// What stands for the name in a CYCLE statement.
fn cycle(cursor: Cursor) -> Option<u32> {
    let rest = cursor.eat(b"cycle")?;
    rest.is_optional_name().then(|| name_number(rest.text))
}

/// A number that stands for a name: equal for equal names, 0 for none.
fn name_number(name: &[u8]) -> u32 {
    name.trim_ascii().iter().fold(0, |number: u32, c| {
        (number ^ u32::from(*c)).wrapping_add(0x811c_9dc5).wrapping_mul(0x0100_0193)
    })
}

fn preamble(cursor: Cursor) -> Option<Class> {
    if let Some(rest) = cursor.eat(b"include") {
        return matches!(rest.text.first(), Some(b'\'' | b'"')).then_some(Class::Include);
    }
    if cursor.eat_word(b"import").is_some() {
        return Some(Class::Preamble);
    }
    let rest = cursor.eat_word(b"implicit")?;
    let external =
        rest.eat(b"none").is_some_and(|rest| rest.text.windows(8).any(|word| word == b"external"));
    Some(if external { Class::ImplicitNoneExternal } else { Class::Preamble })
}

fn end(cursor: Cursor) -> Option<Class> {
    use Construct::{
        Associate, Block, Critical, Enum, Forall, If, Interface, Select, Team, Type, Where,
    };
    let rest = cursor.eat(b"end")?;
    if rest.is_empty() {
        return Some(Class::EndUnit);
    }
    if rest.eat(b"do").is_some() {
        return Some(Class::EndDo);
    }
    const UNITS: [&[u8]; 7] = [
        b"blockdata",
        b"program",
        b"module",
        b"submodule",
        b"subroutine",
        b"function",
        b"procedure",
    ];
    let block_data = rest.eat(b"block").is_some_and(|rest| rest.eat(b"data").is_some());
    if block_data || UNITS.iter().any(|word| rest.eat(word).is_some()) {
        return Some(Class::EndUnit);
    }
    const ENDS: [(&[u8], Construct); 12] = [
        (b"if", If),
        (b"select", Select),
        (b"where", Where),
        (b"forall", Forall),
        (b"associate", Associate),
        (b"block", Block),
        (b"critical", Critical),
        (b"team", Team),
        (b"interface", Interface),
        (b"type", Type),
        (b"structure", Type),
        (b"enum", Enum),
    ];
    let found = ENDS.iter().find(|(word, _)| rest.eat(word).is_some());
    found.map(|(_, construct)| Class::End(*construct))
}

fn opening(cursor: Cursor) -> Option<Class> {
    use Construct::{Associate, Block, Critical, Forall, Interface, Team, Type, Where};
    let open = |construct| Some(Class::Open(construct));
    let bare = |word: &[u8]| {
        cursor.eat(word).and_then(Cursor::parentheses).is_some_and(|rest| rest.is_empty())
    };
    match cursor.text[0] {
        b'a' if bare(b"associate") => open(Associate),
        b'a' => {
            let rest = cursor.eat(b"abstract")?.eat(b"interface")?;
            rest.is_empty().then_some(Class::Open(Interface))
        }
        b'b' if cursor.text == b"block" => open(Block),
        b'c' if cursor.text == b"critical" || bare(b"critical") => open(Critical),
        b'c' => cursor.eat(b"change")?.eat(b"team")?.parentheses().and(open(Team)),
        b'f' if bare(b"forall") => open(Forall),
        b's' => selection(cursor),
        b't' => type_definition(cursor).then_some(Class::Open(Type)),
        b'u' => cursor.eat_word(b"use").map(|_| Class::Preamble),
        b'w' if bare(b"where") => open(Where),
        _ => None,
    }
}

fn selection(cursor: Cursor) -> Option<Class> {
    if cursor.eat(b"structure").is_some_and(|rest| rest.starts(b"/")) {
        return Some(Class::Open(Construct::Type));
    }
    let rest = cursor.eat(b"select")?;
    [b"case".as_slice(), b"type", b"rank"]
        .iter()
        .any(|word| rest.eat(word).is_some_and(|rest| rest.starts(b"(")))
        .then_some(Class::Open(Construct::Select))
}

/// `type name`, `type :: name`, `type, extends(x) :: name`; not `type(x) :: y`, not `type is (x)`.
fn type_definition(cursor: Cursor) -> bool {
    let Some(rest) = cursor.eat(b"type") else { return false };
    match rest.text.first() {
        Some(b',' | b':') => true,
        Some(c) if is_name(*c) => {
            let guard = rest.eat(b"is").is_some_and(|rest| rest.starts(b"("));
            // Parameterised types have a list after their name.
            let tail = rest.skip(rest.name());
            !guard && (tail.is_empty() || tail.parentheses().is_some_and(|tail| tail.is_empty()))
        }
        _ => false,
    }
}

fn interface(cursor: Cursor) -> Option<Class> {
    let rest = cursor.eat_word(b"interface")?;
    let call = rest.starts(b"(") || rest.starts(b"%");
    (!call).then_some(Class::Open(Construct::Interface))
}

fn enumeration(cursor: Cursor) -> Class {
    match cursor.eat(b"enum") {
        Some(rest) if rest.starts(b",") => Class::Open(Construct::Enum),
        _ => Class::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use std::fmt::Write;

    fn check(fixed: bool, statements: &str, expect: Expect) {
        let mut out = String::new();
        for statement in statements.lines() {
            let text: String =
                if fixed { statement.split(' ').collect() } else { statement.into() };
            writeln!(out, "{statement} => {:?}", classify(text.as_bytes(), fixed)).unwrap();
        }
        expect.assert_eq(&out);
    }

    #[test]
    fn openings() {
        check(
            false,
            "do i = 1, 10\ndo\nlp: do while (x)\ndo 10 i=1,3\ndo concurrent (i=1:4)\ndo10i=1,3\nif (a) then\nif (a) x = 1\nlb: block\nselect case (x)\nselect type (a => b)\nwhere (m)\nwhere (m) a = 1\nforall (i=1:3)\nforall (i=1:3) a(i) = 1\nassociate (y=>x)\ncritical\ninterface\ninterface operator(+)\nabstract interface\ntype t\ntype, extends(a) :: b\ntype(t) :: x\ntype is (integer)\nenum, bind(c)\nchange team (t)",
            expect![[r#"
                do i = 1, 10 => Do { label: 0, name: 0, concurrent: false }
                do => Do { label: 0, name: 0, concurrent: false }
                lp: do while (x) => Do { label: 0, name: 1334764744, concurrent: false }
                do 10 i=1,3 => Do { label: 10, name: 0, concurrent: false }
                do concurrent (i=1:4) => Do { label: 0, name: 0, concurrent: true }
                do10i=1,3 => Do { label: 10, name: 0, concurrent: false }
                if (a) then => Open(If)
                if (a) x = 1 => Other
                lb: block => Open(Block)
                select case (x) => Open(Select)
                select type (a => b) => Open(Select)
                where (m) => Open(Where)
                where (m) a = 1 => Other
                forall (i=1:3) => Open(Forall)
                forall (i=1:3) a(i) = 1 => Other
                associate (y=>x) => Open(Associate)
                critical => Open(Critical)
                interface => Open(Interface)
                interface operator(+) => Open(Interface)
                abstract interface => Open(Interface)
                type t => Open(Type)
                type, extends(a) :: b => Open(Type)
                type(t) :: x => Other
                type is (integer) => Other
                enum, bind(c) => Open(Enum)
                change team (t) => Open(Team)
            "#]],
        );
    }

    #[test]
    fn names_that_look_like_keywords() {
        check(
            false,
            "do = 1\ndoi = f(1,2)\nend = 3\nenddo = 4\ninterface_x = 1\nif(1) = 2\nblock = 3\nprogram = 3\ntype_x = 1\nselectcase(1) = 2\ndouble precision :: x = 1, y = 2\nreal functionx\ninteger :: endif = 1\nx: y\nwhere(1) = 2",
            expect![[r#"
                do = 1 => Other
                doi = f(1,2) => Other
                end = 3 => Other
                enddo = 4 => Other
                interface_x = 1 => Other
                if(1) = 2 => Other
                block = 3 => Other
                program = 3 => Other
                type_x = 1 => Other
                selectcase(1) = 2 => Other
                double precision :: x = 1, y = 2 => Other
                real functionx => Other
                integer :: endif = 1 => Other
                x: y => Other
                where(1) = 2 => Other
            "#]],
        );
    }

    #[test]
    fn units_and_ends() {
        check(
            false,
            "program p\nmodule m\nmodule procedure s\nmodule proceduretools\nmodule subroutine s(x)\nsubmodule (a) b\nsubroutine s\npure integer function f(a)\nimpure elemental function f(a)\nelemental subroutine s(a)\nsimple subroutine s(a)\ndouble precision function f()\ncharacter(len=*) function f(x)\ninteger*8 function f(x) result(y)\ntype(t) function f()\nblock data\nend\nend subroutine s\nend procedure\nendblockdata\nend block data x\nend block\nend do\nenddo lp\nend if\nend function\nend file (10)\nimplicit none (type, external)\nimplicit none\nuse m, only: x\nimport\ninclude 'x'",
            expect![[r#"
                program p => Unit(Program)
                module m => Unit(Module)
                module procedure s => Unit(ModuleProcedure)
                module proceduretools => Unit(Module)
                module subroutine s(x) => Unit(Procedure)
                submodule (a) b => Unit(Submodule)
                subroutine s => Unit(Procedure)
                pure integer function f(a) => Unit(PureProcedure)
                impure elemental function f(a) => Unit(Procedure)
                elemental subroutine s(a) => Unit(PureProcedure)
                simple subroutine s(a) => Unit(SimpleProcedure)
                double precision function f() => Unit(Procedure)
                character(len=*) function f(x) => Unit(Procedure)
                integer*8 function f(x) result(y) => Unit(Procedure)
                type(t) function f() => Unit(Procedure)
                block data => Unit(BlockData)
                end => EndUnit
                end subroutine s => EndUnit
                end procedure => EndUnit
                endblockdata => EndUnit
                end block data x => EndUnit
                end block => End(Block)
                end do => EndDo
                enddo lp => EndDo
                end if => End(If)
                end function => EndUnit
                end file (10) => Other
                implicit none (type, external) => ImplicitNoneExternal
                implicit none => Preamble
                use m, only: x => Preamble
                import => Preamble
                include 'x' => Include
            "#]],
        );
    }

    #[test]
    fn fixed_form_has_no_blanks() {
        check(
            true,
            "DO 10 I = 1 , 10\nDO 10 I = 1.10\nEND DO\nREAL FUNCTION F(X)\nSUBROUTINE DOIT\nIF (A) THEN\nPROGRAM P\nEND PROGRAM P\nTYPE T\nGO TO 10\nDOUBLE PRECISION X\nINTEGER FUNCTIONX\nFORMAT(1X)".to_lowercase().as_str(),
            expect![[r#"
                do 10 i = 1 , 10 => Do { label: 10, name: 0, concurrent: false }
                do 10 i = 1.10 => Other
                end do => EndDo
                real function f(x) => Unit(Procedure)
                subroutine doit => Unit(Procedure)
                if (a) then => Open(If)
                program p => Unit(Program)
                end program p => EndUnit
                type t => Open(Type)
                go to 10 => Other
                double precision x => Other
                integer functionx => Other
                format(1x) => Other
            "#]],
        );
    }
}
