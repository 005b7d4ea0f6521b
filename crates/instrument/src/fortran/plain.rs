//! Statements that fill their lines and show at their beginning what they are: most lines of most
//! programs. They need not be taken apart. What is doubtful is left to [`super::class`].

use super::class::{Class, Construct};
use super::form::{Content, is_blank, is_name};
use super::role::Role;
use super::scan::{Kind, Scanner, Statement};
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

impl Scanner<'_> {
    /// A statement that shows at its beginning what it is and fills its lines; the line to read
    /// next. `None` if a closer look is needed.
    pub(super) fn plain(
        &mut self,
        at: usize,
        label: u32,
        body: usize,
        end: usize,
    ) -> Option<usize> {
        if self.roles.is_some() {
            return None;
        }
        let source = self.source;
        let text = source[body..end].trim_ascii_start();
        let (class, tail) = class(text, self.form.is_fixed())?;
        let (last, next) = self.plain_end(at, tail)?;
        let (kind, start) = (Kind::Code(class), end - text.len());
        let statement = Statement { kind, label, first: at, last, start, semicolon: None };
        self.push_statement(statement, Role::default());
        Some(next)
    }

    /// The last line of a plain statement, and the line to read next. `tail`: what of its first
    /// line has not been looked at, if anything may follow.
    fn plain_end<'t>(&'t self, at: usize, mut tail: Option<&'t [u8]>) -> Option<(usize, usize)> {
        let fixed = self.form.is_fixed();
        let mut last = at;
        loop {
            let goes_on = tail.map_or(Some(false), |text| goes_on(text, fixed))?;
            // In fixed form, only the next line shows it.
            if !fixed && !goes_on {
                return Some((last, last + 1));
            }
            match self.following(last)? {
                (next, None) => return Some((last, next)),
                (next, text) if tail.is_some() => (last, tail) = (next, text),
                _ => return None,
            }
        }
    }

    /// The next line but comments, and its text if it continues the statement of line `at`.
    fn following(&self, at: usize) -> Option<(usize, Option<&[u8]>)> {
        let fixed = self.form.is_fixed();
        for next in at + 1..self.scan.lines.len() {
            match self.content(next) {
                Content::Nothing => {}
                Content::Code { body, end, continues, pomp_only: false, .. }
                    if continues || !fixed =>
                {
                    return Some((next, Some(&self.source[self.skip_ampersand(body, end)..end])));
                }
                Content::Code { continues: false, .. } | Content::Directive { .. } if fixed => {
                    return Some((next, None));
                }
                _ => return None,
            }
        }
        fixed.then_some((self.scan.lines.len(), None))
    }
}

/// What a statement does to the nesting, if its text shows it at its beginning, and what of the
/// text anything may follow on further lines; `None` if the statement must end with this one.
fn class(text: &[u8], fixed: bool) -> Option<(Class, Option<&[u8]>)> {
    let letter = text.first().filter(|byte| byte.is_ascii_alphabetic())?.to_ascii_lowercase();
    let other = |rest| Some((Class::Other, rest));
    if let Some(rest) = behind_assigned(text) {
        return other(Some(rest));
    }
    if letter == b'd'
        && let Some(class) = counted_loop(text, fixed)
    {
        return Some((class, None));
    }
    let is_alone = |word| behind(text, word).is_some_and(is_end);
    let has_list = |word| behind(text, word).is_some_and(|rest| rest.starts_with(b"("));
    match letter {
        b'a' if has_list(b"allocate") => other(Some(text)),
        b'c' if is_call(text) => {
            let rest = &text[b"call".len()..];
            let name = skip_blank(rest);
            let alone = is_end(skip_blank(&name[name_length(name)..]));
            other((!alone).then_some(rest))
        }
        b'c' if is_alone(b"continue") || is_alone(b"contains") => other(None),
        b'd' if has_list(b"deallocate") => other(Some(text)),
        b'p' if has_list(b"parameter") => other(Some(text)),
        b'r' if is_alone(b"return") => other(None),
        b'c' | b'd' | b'i' | b'l' | b'r' | b't' if is_declaration(text) => declaration(text, fixed),
        b'e' => end(text).map(|class| (class, None)).or_else(|| else_statement(text)),
        b'i' => if_statement(text),
        b'p' | b'r' | b'w' if is_transfer(text) => other(Some(text)),
        _ => None,
    }
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

/// What is known of a declaration: without `::`, FUNCTION may follow on the next line.
fn declaration(text: &[u8], fixed: bool) -> Option<(Class, Option<&[u8]>)> {
    if memmem::find(text, b"::").is_some() {
        return Some((Class::Other, Some(text)));
    }
    (goes_on(text, fixed) == Some(false)).then_some((Class::Other, None))
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
fn else_statement(text: &[u8]) -> Option<(Class, Option<&[u8]>)> {
    let rest = behind(text, b"else")?;
    let is_if = behind(rest, b"if").is_some_and(|rest| rest.starts_with(b"("));
    (is_if || is_end(rest)).then_some((Class::Other, is_if.then_some(rest)))
}

/// DO with a variable, and neither a label nor a name.
fn counted_loop(text: &[u8], fixed: bool) -> Option<Class> {
    let control = behind(text, b"do").filter(|_| text.get(2).is_some_and(|c| is_blank(*c)))?;
    control.first().filter(|byte| byte.is_ascii_alphabetic())?;
    let rest = skip_blank(&control[name_length(control)..]).strip_prefix(b"=")?;
    let mut depth = 0i32;
    let end = rest.iter().position(|byte| {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        depth == 0 && *byte == b',' || SPECIAL[usize::from(*byte)]
    })?;
    let counts = rest[end] == b',' && !matches!(rest[0], b'=' | b'>');
    let class = Class::Do { label: 0, name: 0, concurrent: false };
    (counts && goes_on(&rest[end..], fixed) == Some(false)).then_some(class)
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
fn if_statement(text: &[u8]) -> Option<(Class, Option<&[u8]>)> {
    let rest = behind(text, b"if").filter(|rest| rest.starts_with(b"("))?;
    let action = behind_parenthesis(rest);
    let condition = &rest[..rest.len() - action.len()];
    if condition.iter().any(|&byte| SPECIAL[usize::from(byte)]) {
        return None;
    }
    let action = skip_blank(action);
    if behind(action, b"then").is_some_and(is_end) {
        return Some((Class::Open(Construct::If), None));
    }
    // Fixed form may have blanks inside of words.
    let doubtful = is_end(action)
        || matches!(action[0], b'c' | b'C' | b't' | b'T') && behind(action, b"call").is_none();
    (!doubtful).then_some((Class::Other, Some(action)))
}

fn name_length(text: &[u8]) -> usize {
    text.iter().position(|c| !is_name(*c)).unwrap_or(text.len())
}

/// What follows the variable, element or component that a text assigns to; `None` if it does not.
fn behind_assigned(text: &[u8]) -> Option<&[u8]> {
    // `do10i=1,2` begins a loop.
    if text.get(..2).is_some_and(|word| word.eq_ignore_ascii_case(b"do")) {
        return None;
    }
    let rest = behind_variable(text);
    let variable = &text[..text.len() - rest.len()];
    let assigns = match rest {
        [b'=', b'=' | b'>', ..] => false,
        [b'=', ..] => true,
        _ => false,
    };
    let plain = || !variable.iter().any(|&byte| SPECIAL[usize::from(byte)]);
    (assigns && plain()).then_some(rest)
}

/// Whether the statement that goes on with `text` goes on behind this line as well: with `&` at its
/// end, which fixed form does not have. `None` if another statement follows, or in doubt.
fn goes_on(text: &[u8], fixed: bool) -> Option<bool> {
    let mut rest = text;
    if memchr2(b'\'', b'"', text).is_none() {
        rest = memchr3(b'!', b';', b'&', text).map_or(b"", |at| &text[at..]);
    }
    while let Some(at) = rest.iter().position(|&byte| SPECIAL[usize::from(byte)]) {
        rest = match rest[at] {
            b'!' => return Some(false),
            b'&' if !fixed => return is_end(skip_blank(&rest[at + 1..])).then_some(true),
            // In fixed form a quote may be a character of a Hollerith constant.
            quote @ (b'\'' | b'"') if !fixed => &rest[at + 2 + memchr(quote, &rest[at + 1..])?..],
            _ => return None,
        };
    }
    Some(false)
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
        let is_assignment = |text: &str, fixed| {
            let rest = behind_assigned(text.as_bytes());
            rest.is_some_and(|rest| goes_on(rest, fixed) == Some(false))
        };
        assert_eq!(yes.map(|text| is_assignment(text, false)), [true; 7]);
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
        assert_eq!(no.map(|text| is_assignment(text, false)), [false; 17]);
        assert!(!is_assignment("x = 2h'; ; y = 'a'", true));
    }

    /// What is said of a text here must be what a closer look says.
    fn check(text: &str, plain: bool) {
        for fixed in [false, true] {
            let normal: Vec<u8> = text.bytes().filter(|byte| !(fixed && *byte == b' ')).collect();
            let normal = normal.split(|byte| *byte == b'!').next().unwrap().to_ascii_lowercase();
            let class = class(text.as_bytes(), fixed);
            let ends = |tail| goes_on(tail, fixed) == Some(false);
            let class = class.filter(|(_, tail)| tail.is_none_or(ends)).map(|(class, _)| class);
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
            "if (x) call f(a) ! b",
            "do i = 1, 2",
            "DO k1=f(a, b),n,-1 ! c",
            "do i = a(1), 2",
            "allocate (a(n), b(n))",
            "deallocate(a)",
            "parameter (n = 3, m = 4)",
            "return",
            "continue ! x",
            "contains",
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
            "double complex x",
            "do i = 1.2",
            "do i = f(1, 2)",
            "do i => a, b",
            "do 10 i = 1, 2",
            "do, i = 1, 2",
            "do i = 1, 2; x = 1",
            "do i = 'a', 2",
            "do while (x)",
            "return 1",
            "contains: do",
            "ifx: do",
        ] {
            check(text, false);
        }
    }
}
