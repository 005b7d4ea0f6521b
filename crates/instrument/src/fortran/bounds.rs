//! How many iterations a loop has, as an argument of the call in front of it: the bounds and the
//! step of its DO statement, from which our routine counts. A list with a type in front of it
//! makes integers of 8 bytes of all numbers, without a name that the program may have given to
//! something else. The bounds are evaluated once more than the program says, so they must be names,
//! numbers, components, inquiries and arithmetic. `f(i)` may be a function, so it is not known.

use super::class::Class;
use super::code::Code;
use super::cursor::is_name;
use super::events::Target;
use super::rewrite::Rewriter;
use super::scan::Kind;
use crate::directive::Directive;
use std::borrow::Cow;
use std::collections::HashSet;

/// The argument for an unknown number.
const UNKNOWN: &str = ",[integer(8)::-1]";

/// More loops than anybody collapses.
const LOOPS_MAX: usize = 15;

/// First value, last value and step of a loop; most are no longer than this.
const PARAMETERS: usize = 3;
const PARAMETER_BYTES: usize = 16;

/// Clauses after which a name means something else inside of the construct, or nothing yet.
const PRIVATISING: &[&str] = &["private", "lastprivate", "linear", "reduction", "in_reduction"];

/// Functions of the language that have no effect.
const INQUIRIES: &[&[u8]] = &[
    b"abs", b"ceiling", b"floor", b"iand", b"int", b"ior", b"ishft", b"lbound", b"len", b"max",
    b"min", b"mod", b"modulo", b"nint", b"size", b"ubound",
];

/// The DO statement of a loop: the name of its variable in lower case, and its parameters as they
/// are written.
struct Loop {
    variable: Vec<u8>,
    parameters: Vec<Vec<u8>>,
}

impl<'a> Rewriter<'a> {
    /// The argument after the number of the region: how many loops there are, and first value,
    /// last value and step of each.
    pub(super) fn bounds(&self, to: Target) -> String {
        self.known_bounds(to).unwrap_or_else(|| UNKNOWN.to_owned())
    }

    fn known_bounds(&self, to: Target) -> Option<String> {
        let Kind::Directive(directive) = self.statement(to.opened).kind else { return None };
        let text = &self.facts.scan.directives[directive];
        let directive = &self.facts.parsed[directive].directive;
        // Compilers warn where such a number is shortened.
        if self.has_wide_integers() {
            return None;
        }
        let count = collapsed(&text.text, directive).filter(|_| !text.has_cpp)?;
        let loops: Option<Vec<Loop>> =
            (1..=count).map(|nth| self.loop_at(to.opened + nth)).collect();
        let loops = loops?;
        let clauses = directive.clauses.iter();
        let private: Vec<Vec<u8>> = clauses
            .filter(|clause| PRIVATISING.contains(&&*clause.name))
            .flat_map(|clause| directive.items(clause))
            .filter_map(|item| item.base.map(|base| text.text[base].to_ascii_lowercase()))
            .collect();
        let changes = |name: &[u8]| {
            loops.iter().any(|one| one.variable == name)
                || private.iter().any(|other| other == name)
                || self.volatile.get_or_init(|| volatile_names(self.source)).contains(name)
        };
        let is_function = |name: &[u8]| {
            !INQUIRIES.contains(&name)
                || self.unit_names.get_or_init(|| self.names_of_units()).contains(name)
        };
        let mut list = format!(",[integer(8)::{count}");
        for parameter in loops.iter().flat_map(|one| &one.parameters) {
            if !is_plain(parameter, &changes, &is_function) {
                return None;
            }
            list.push(',');
            list.push_str(&String::from_utf8_lossy(parameter));
        }
        Some(list + "]")
    }

    fn names_of_units(&self) -> HashSet<&'a [u8]> {
        let nest = self.facts.nest;
        nest.units.iter().map(|unit| unit.name.as_bytes()).collect()
    }

    /// The loop of a statement.
    fn loop_at(&self, at: usize) -> Option<Loop> {
        let statement = *self.facts.scan.statements.get(at)?;
        if !matches!(statement.kind, Kind::Code(Class::Do { concurrent: false, .. })) {
            return None;
        }
        let code = Code::of(self.source, self.facts.scan, self.writer.form, statement);
        let equals = code.text.iter().position(|c| *c == b'=').filter(|_| !code.strings)?;
        let variable = variable(&code.text[..equals])?.to_vec();
        let mut parameters = Vec::with_capacity(PARAMETERS);
        parameters.push(Vec::with_capacity(PARAMETER_BYTES));
        let mut depth = 0usize;
        for (c, offset) in code.text.iter().zip(&code.at).skip(equals + 1) {
            match c {
                b'(' => depth += 1,
                b')' => depth = depth.checked_sub(1)?,
                _ => {}
            }
            match parameters.last_mut() {
                Some(last) if *c != b',' || depth > 0 => last.push(self.source[*offset]),
                _ => parameters.push(Vec::with_capacity(PARAMETER_BYTES)),
            }
        }
        if parameters.len() == 2 {
            parameters.push(b"1".to_vec());
        }
        (parameters.len() == 3 && depth == 0).then_some(Loop { variable, parameters })
    }
}

/// How many loops a directive distributes together.
fn collapsed(text: &[u8], directive: &Directive) -> Option<usize> {
    let Some(clause) = directive.clause("collapse") else { return Some(1) };
    let argument = std::str::from_utf8(&text[clause.argument.clone()?]).ok()?;
    argument.trim().parse().ok().filter(|count| *count <= LOOPS_MAX)
}

/// The variable in `do i`, `name: do 10 i`, without blanks.
fn variable(head: &[u8]) -> Option<&[u8]> {
    let named = head.iter().position(|c| *c == b':').map_or(0, |colon| colon + 1);
    let digits = |text: &[u8]| text.iter().take_while(|c| c.is_ascii_digit()).count();
    let head = &head[named..];
    let head = head[digits(head)..].strip_prefix(b"do")?;
    let head = &head[digits(head)..];
    let head = head.strip_prefix(b",").unwrap_or(head);
    (!head.is_empty() && head.iter().all(|c| is_name(*c))).then_some(head)
}

/// The names in lines with the word `volatile`, in lower case.
fn volatile_names(source: &[u8]) -> HashSet<Vec<u8>> {
    const WORD: &[u8] = b"volatile";
    let is_word =
        |at: &usize| source[*at..].get(..WORD.len()).is_some_and(|w| w.eq_ignore_ascii_case(WORD));
    let line = |at: usize| {
        let start = memchr::memrchr(b'\n', &source[..at]).map_or(0, |end| end + 1);
        let end = memchr::memchr(b'\n', &source[at..]).map_or(source.len(), |length| at + length);
        &source[start..end]
    };
    let lines = memchr::memchr2_iter(b'v', b'V', source).filter(is_word).map(line);
    let names = lines.flat_map(|line| line.split(|c| !is_name(*c)));
    names.map(<[u8]>::to_ascii_lowercase).collect()
}

fn in_lower_case(word: &[u8]) -> Cow<'_, [u8]> {
    match word.iter().any(u8::is_ascii_uppercase) {
        true => Cow::Owned(word.to_ascii_lowercase()),
        false => Cow::Borrowed(word),
    }
}

/// Whether another evaluation changes nothing, and means the same in front of the construct.
fn is_plain(
    text: &[u8],
    changes: &dyn Fn(&[u8]) -> bool,
    is_function: &dyn Fn(&[u8]) -> bool,
) -> bool {
    let mut at = 0;
    let mut component = false;
    while let Some(c) = text.get(at) {
        match c {
            b'+' | b'-' | b'*' | b'/' | b'(' | b')' | b',' => at += 1,
            b'%' => {
                at += 1;
                component = true;
                continue;
            }
            c if is_name(*c) => {
                let length = text[at..].iter().take_while(|c| is_name(**c)).count();
                let word = in_lower_case(&text[at..at + length]);
                at += length;
                let number = c.is_ascii_digit();
                if !number && !component && changes(&word) {
                    return false;
                }
                if text.get(at) == Some(&b'(') && (number || component || is_function(&word)) {
                    return false;
                }
            }
            _ => return false,
        }
        component = false;
    }
    !text.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_evaluated_once_more() {
        let plain = |text: &str| {
            is_plain(text.as_bytes(), &|name| name == b"i", &|name| !INQUIRIES.contains(&name))
        };
        for text in ["n", "10_ik", "-N+1", "field%x_max", "(n+m)/2", "size(a,1)-2**k", "MIN(n,m)"] {
            assert!(plain(text), "{text}");
        }
        for text in ["", "f(n)", "a%n(3)", "i+1", "n.op.m", "1.5", "[1]", "n=3", "a(1:2)", "3(4)"] {
            assert!(!plain(text), "{text}");
        }
    }

    #[test]
    fn variables_of_loops() {
        let of = |head: &str| {
            variable(head.as_bytes()).map(|name| String::from_utf8_lossy(name).into_owned())
        };
        assert_eq!(of("doi").as_deref(), Some("i"));
        assert_eq!(of("outer:do10,kx").as_deref(), Some("kx"));
        assert_eq!(of("7do10k1").as_deref(), Some("k1"));
        assert_eq!(of("dowhile(a"), None);
    }
}
