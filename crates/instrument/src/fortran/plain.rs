//! Assignments that fill one line: most lines of most programs. They open and close nothing, so
//! they need not be taken apart.

use super::form::is_blank;
use memchr::{memchr, memchr2, memchr3};

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

/// Whether this text of a line is an assignment to a variable, an element or a component, with
/// nothing but a comment behind it.
pub(super) fn is_assignment(text: &[u8], fixed: bool) -> bool {
    // `do10i=1,2` begins a loop.
    let begins = text.first().is_some_and(u8::is_ascii_alphabetic);
    if !begins || text.get(..2).is_some_and(|word| word.eq_ignore_ascii_case(b"do")) {
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
        let name = rest.iter().position(|c| !(c.is_ascii_alphanumeric() || *c == b'_'));
        rest = skip_blank(&rest[name.unwrap_or(rest.len())..]);
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
    use super::is_assignment;

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
}
