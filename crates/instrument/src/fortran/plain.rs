//! Statements that fill one line and show at their beginning what they are: most lines of most
//! programs. They need not be taken apart. What is doubtful is left to [`super::class`].

use super::class::{Class, Construct};
use super::form::{is_blank, is_name};
use memchr::{memchr, memchr2, memchr3, memmem};

/// Bytes in front of which a line must be looked at more closely.
pub(super) const SPECIAL: [bool; 256] = {
    let mut special = [false; 256];
    special[b'!' as usize] = true;
    special[b';' as usize] = true;
    special[b'&' as usize] = true;
    special[b'\'' as usize] = true;
    special[b'"' as usize] = true;
    special
};

/// What a statement does to the nesting, if its text fills one line and shows it at its beginning.
pub(super) fn class(text: &[u8], fixed: bool) -> Option<Class> {
    let letter = text.first().filter(|byte| byte.is_ascii_alphabetic())?.to_ascii_lowercase();
    if is_assignment(text, fixed) {
        return Some(Class::Other);
    }
    let other = match letter {
        b'c' if is_call(text) => text,
        b'c' | b'd' | b'i' | b'l' | b'r' | b't' if is_declaration(text) => text,
        b'e' => {
            return end(text)
                .or_else(|| (is_else(text) && is_all(text, fixed)).then_some(Class::Other));
        }
        b'i' => return if_statement(text, fixed),
        b'p' | b'r' | b'w' if is_transfer(text) => text,
        _ => return None,
    };
    is_all(other, fixed).then_some(Class::Other)
}

/// What is behind this word, if the text begins with it, and the blanks behind it.
fn behind<'a>(text: &'a [u8], word: &[u8]) -> Option<&'a [u8]> {
    let (head, rest) = text.split_at_checked(word.len())?;
    head.eq_ignore_ascii_case(word).then(|| skip_blank(rest))
}

/// Whether nothing follows but a comment.
fn is_end(rest: &[u8]) -> bool {
    matches!(rest.first(), None | Some(b'!'))
}

/// `call name` or `call name(...)`: a colon behind the name would make it that of a construct.
fn is_call(text: &[u8]) -> bool {
    let Some(rest) = behind(text, b"call") else { return false };
    let rest = skip_blank(&rest[name_length(rest)..]);
    is_end(rest) || matches!(rest[0], b'(' | b'%')
}

/// A declaration with `::`, or one without the letter that FUNCTION begins with.
fn is_declaration(text: &[u8]) -> bool {
    let types =
        [&b"integer"[..], b"real", b"logical", b"complex", b"character", b"double precision"];
    if let Some(rest) = types.iter().find_map(|word| behind(text, word)) {
        let declares = memmem::find(rest, b"::").is_some() || memchr2(b'f', b'F', rest).is_none();
        // Not a variable whose name begins so, or the name of a construct.
        let separate = matches!(rest.first(), Some(b'(' | b',' | b'*')) || rest.starts_with(b"::");
        let blank = rest.len() < text.len() && is_blank(text[text.len() - rest.len() - 1]);
        let name = name_length(rest);
        let named = name > 0 && blank && !skip_blank(&rest[name..]).starts_with(b":");
        return declares && (separate || named);
    }
    // `type name` opens a definition.
    let object = [&b"type"[..], b"class"].iter().find_map(|word| behind(text, word));
    object.is_some_and(|rest| rest.starts_with(b"(") && memmem::find(rest, b"::").is_some())
}

/// READ, WRITE and PRINT.
fn is_transfer(text: &[u8]) -> bool {
    let words = [&b"write"[..], b"read", b"print"];
    let rest = words.iter().find_map(|word| behind(text, word));
    rest.is_some_and(|rest| matches!(rest.first(), Some(b'(' | b'*' | b'\'' | b'"')))
}

/// ELSE and ELSE IF.
fn is_else(text: &[u8]) -> bool {
    let Some(rest) = behind(text, b"else") else { return false };
    is_end(rest) || behind(rest, b"if").is_some_and(|rest| rest.starts_with(b"("))
}

/// END DO and END IF without a name.
fn end(text: &[u8]) -> Option<Class> {
    let rest = behind(text, b"end")?;
    let is = |word| behind(rest, word).is_some_and(is_end);
    if is(b"do") {
        return Some(Class::EndDo);
    }
    is(b"if").then_some(Class::End(Construct::If))
}

/// IF with THEN, or with any other action than CYCLE.
fn if_statement(text: &[u8], fixed: bool) -> Option<Class> {
    let rest = behind(text, b"if").filter(|rest| rest.starts_with(b"("))?;
    let action = behind_parenthesis(rest);
    let condition = &rest[..rest.len() - action.len()];
    if condition.iter().any(|&byte| SPECIAL[usize::from(byte)]) {
        return None;
    }
    let action = skip_blank(action);
    if behind(action, b"then").is_some_and(is_end) {
        return Some(Class::Open(Construct::If));
    }
    // Fixed form may have blanks inside of words.
    let doubtful = is_end(action) || matches!(action[0], b'c' | b'C' | b't' | b'T');
    (!doubtful && is_all(action, fixed)).then_some(Class::Other)
}

fn name_length(text: &[u8]) -> usize {
    text.iter().position(|c| !is_name(*c)).unwrap_or(text.len())
}

/// Whether this text of a line is an assignment to a variable, an element or a component, with
/// nothing but a comment behind it.
fn is_assignment(text: &[u8], fixed: bool) -> bool {
    // `do10i=1,2` begins a loop.
    if text.get(..2).is_some_and(|word| word.eq_ignore_ascii_case(b"do")) {
        return false;
    }
    let rest = behind_variable(text);
    let variable = &text[..text.len() - rest.len()];
    let assigns = match rest {
        [b'=', b'=' | b'>', ..] => false,
        [b'=', ..] => true,
        _ => false,
    };
    assigns && !variable.iter().any(|&byte| SPECIAL[usize::from(byte)]) && is_all(rest, fixed)
}

/// Whether no other statement and no other line can belong to what `text` ends.
fn is_all(text: &[u8], fixed: bool) -> bool {
    if memchr2(b'\'', b'"', text).is_none() {
        return memchr3(b'!', b';', b'&', text).is_none_or(|at| text[at] == b'!');
    }
    let mut rest = text;
    while let Some(at) = rest.iter().position(|&byte| SPECIAL[usize::from(byte)]) {
        rest = match rest[at] {
            b'!' => return true,
            // In fixed form a quote may be a character of a Hollerith constant.
            quote @ (b'\'' | b'"') if !fixed => match memchr(quote, &rest[at + 1..]) {
                Some(length) => &rest[at + length + 2..],
                None => return false,
            },
            _ => return false,
        };
    }
    true
}

/// What follows `name`, `name(...)`, `name(...)%name` and so on.
fn behind_variable(text: &[u8]) -> &[u8] {
    let mut rest = text;
    loop {
        rest = skip_blank(&rest[name_length(rest)..]);
        while rest.first() == Some(&b'(') {
            rest = skip_blank(behind_parenthesis(rest));
        }
        match rest {
            [b'%', behind @ ..] => rest = skip_blank(behind),
            _ => return rest,
        }
    }
}

/// Behind the parenthesis that `text` begins with; nothing if it is not closed.
fn behind_parenthesis(text: &[u8]) -> &[u8] {
    let mut depth = 0usize;
    let end = text.iter().position(|byte| {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    end.map_or(&[], |end| &text[end + 1..])
}

fn skip_blank(text: &[u8]) -> &[u8] {
    &text[text.iter().take_while(|c| is_blank(**c)).count()..]
}

#[cfg(test)]
mod tests {
    use super::super::class::classify;
    use super::*;

    #[test]
    fn assignments_and_what_looks_like_them() {
        let yes = [
            "x = 1",
            "x=y==z",
            "a(i, f(j)) = 2 ! it's",
            "a % b(3)%c=4",
            "end = 3",
            "if(1)=2",
            "x = 'a; & ! it''s' // \"b\" ! c; d",
        ];
        assert_eq!(yes.map(|text| is_assignment(text.as_bytes(), false)), [true; 7]);
        let no = [
            "do i = 1, 2",
            "do10i=1,2",
            "x = 'a",
            "x = 'a &",
            "x = 'a'; y = 1",
            "a(')') = 1",
            "x = 1; end do",
            "x = 1 &",
            "p => q",
            "if (x) y = 1",
            "where (m(1)) a = 1",
            "10 x = 1",
            "lp: do i = 1, 2",
            "integer :: i = 1",
            "a(i = 1",
            "enddo",
            "",
        ];
        assert_eq!(no.map(|text| is_assignment(text.as_bytes(), false)), [false; 17]);
        assert!(!is_assignment(b"x = 2h'; ; y = 'a'", true));
    }

    /// What is said of a text here must be what a closer look says.
    fn check(text: &str, plain: bool) {
        for fixed in [false, true] {
            let normal: Vec<u8> = text.bytes().filter(|byte| !(fixed && *byte == b' ')).collect();
            let normal = normal.split(|byte| *byte == b'!').next().unwrap().to_ascii_lowercase();
            let class = class(text.as_bytes(), fixed);
            assert!(
                class.is_none_or(|class| class == classify(normal.trim_ascii(), fixed)),
                "{text}"
            );
            assert!(class.is_some() == plain || fixed && text.contains('\''), "{text}");
        }
    }

    #[test]
    fn statements_that_show_what_they_are() {
        for text in [
            "call f",
            "CALL f(a(1:2), b) ! x; y",
            "call a%b(c)",
            "integer :: f",
            "real(8) a, b(3)",
            "real*8 x",
            "character(len=*), intent(in) :: file",
            "double precision x(10)",
            "type(t), pointer :: p",
            "class(t) :: this",
            "write (*,*) x",
            "print *, 'it''s; ' ! ;",
            "read(5, '(a)') s",
            "else",
            "else if (a(1) > 2) then ! x",
            "end do",
            "ENDDO ! i",
            "end if",
            "if (a(1) == (b)) then",
            "if (x) y = 1",
            "IF (x) GOTO 10",
            "if (x) 10, 20, 30",
        ] {
            check(text, true);
        }
    }

    #[test]
    fn statements_that_need_a_closer_look() {
        for text in [
            "call x: do i = 1, 2",
            "callf: do",
            "integer function f()",
            "real pure function g(x)",
            "type t",
            "type, extends(a) :: t",
            "class default",
            "integers: do i = 1, 2",
            "real: do i = 1, 2",
            "if (x) cycle",
            "if (x) then; y = 1",
            "if (x) &",
            "end do loop",
            "end",
            "end function",
            "enddo; enddo",
            "write: do",
            "write (*,*) 'a &",
            "if (f(')')) then",
            "else where",
            "elseloop: do i = 1, 2",
            "if (x) call f",
            "double complex x",
            "ifx: do",
        ] {
            check(text, false);
        }
    }
}
