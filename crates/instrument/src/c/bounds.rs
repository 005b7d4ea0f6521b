//! How many iterations a loop has, as an argument of the call in front of it: an expression that is
//! made of the bounds and the step in the loop's header. It evaluates them once more than the
//! program says, so there is one only for bounds for which that makes no difference, see
//! [`super::operands`]. What the text does not tell, because a name may be that of a pointer or of
//! an iterator, the compiler tells: a condition on types that it knows makes the number unknown.

use super::counter::{self, Counter};
use super::operands::{Operands, is_number, operands};
use super::pragma;
use crate::directive::{Piece, PieceKind};
use std::borrow::Cow;
use std::ops::Range;

/// The number if it is not known.
pub(super) const UNKNOWN: &str = "-1";

/// As long are most of them.
const COUNT_BYTES: usize = 48;

/// What the expressions are made with.
pub(super) struct Bounds<'a> {
    pub(super) text: &'a [u8],
    pub(super) cxx: bool,
    /// The prefix of our names.
    pub(super) prefix: &'a str,
    /// Whether another evaluation of this name makes a difference, or it means something else in
    /// front of the construct.
    pub(super) refuses: &'a dyn Fn(&[u8]) -> bool,
}

/// One loop.
struct Loop<'a, 'p> {
    counter: Counter<'a>,
    first: &'p [Piece],
    last: &'p [Piece],
    /// Whether values grow.
    up: bool,
    /// Whether the last value belongs to the loop.
    inclusive: bool,
}

/// What must hold for a number to be known, with `&&` between.
#[derive(Default)]
struct Conditions {
    text: String,
    /// Where each of them is.
    places: Vec<Range<usize>>,
}

impl Conditions {
    /// Adds a condition, given in parts, unless it is there.
    fn add(&mut self, parts: &[&str]) {
        let end = self.text.len();
        self.text.push_str(if end == 0 { "" } else { " && " });
        let start = self.text.len();
        parts.iter().for_each(|part| self.text.push_str(part));
        let place = start..self.text.len();
        if self.places.iter().any(|other| self.text[other.clone()] == self.text[place.clone()]) {
            self.text.truncate(end);
        } else {
            self.places.push(place);
        }
    }
}

/// A value of type long.
enum Value<'a> {
    Digits(Cow<'a, str>),
    /// An expression that has to become one.
    Other(Cow<'a, str>),
}

impl<'a> Bounds<'a> {
    /// The number of iterations of nested loops, given their headers; `None` if it is unknown.
    pub(super) fn count(&self, headers: &[Range<usize>]) -> Option<String> {
        let cut = |header: &Range<usize>| pragma::pieces(self.text, header.clone());
        let pieces: Vec<Vec<Piece>> = headers.iter().map(cut).collect();
        let loops: Option<Vec<Loop>> = pieces.iter().map(|pieces| self.header(pieces)).collect();
        let loops = loops?;
        let is_variable =
            |name: &[u8]| loops.iter().any(|one| one.counter.variable.as_bytes() == name);
        let refuses = |name: &[u8]| is_variable(name) || (self.refuses)(name);
        let mut conditions = Conditions::default();
        let mut product = String::with_capacity(COUNT_BYTES);
        for one in &loops {
            let is_first = product.is_empty();
            if !is_first {
                product.insert_str(0, "times(");
                product.insert_str(0, self.prefix);
                product.push_str(", ");
            }
            self.count_of(one, &refuses, &mut conditions, &mut product)?;
            product.push_str(if is_first { "" } else { ")" });
        }
        Some(match conditions.text.as_str() {
            "" => product,
            conditions => [conditions, " ? ", &product, " : ", UNKNOWN].concat(),
        })
    }

    fn is(&self, piece: &Piece, text: &str) -> bool {
        &self.text[piece.span()] == text.as_bytes()
    }

    /// Takes a header apart.
    fn header<'p>(&self, pieces: &'p [Piece]) -> Option<Loop<'a, 'p>> {
        let counter = counter::counter(self.text, pieces)?;
        let inner = pieces.get(1..pieces.len().checked_sub(1)?)?;
        let mut parts = inner.split(|piece| self.is(piece, ";"));
        let (init, condition) = (parts.next()?, parts.next()?);
        let first = self.first(init, counter.variable)?;
        let (operator, last, turned) = self.condition(condition, counter.variable)?;
        let up = match &self.text[operator[0].span()] {
            b"<" => !turned,
            b">" => turned,
            // A larger step may never reach that value.
            _ if counter.step == "1" => !counter.down,
            _ => return None,
        };
        let inclusive = operator.len() == 2 && !self.is(&operator[0], "!");
        Some(Loop { counter, first, last, up, inclusive })
    }

    /// What the variable begins with: the value after `=`, or in parentheses or braces.
    fn first<'p>(&self, init: &'p [Piece], variable: &str) -> Option<&'p [Piece]> {
        let at = init.iter().position(|piece| self.is(piece, variable))?;
        let in_type = |piece: &Piece| piece.kind == PieceKind::Word || self.is(piece, "::");
        match &init[at + 1..] {
            _ if !init[..at].iter().all(in_type) => None,
            [equals, first @ ..] if self.is(equals, "=") => Some(first),
            [open, first @ .., close]
                if open.kind == PieceKind::Open && close.kind == PieceKind::Close =>
            {
                Some(first)
            }
            _ => None,
        }
    }

    /// The comparison, what the variable is compared with, and whether that comes first.
    fn condition<'p>(
        &self,
        condition: &'p [Piece],
        variable: &str,
    ) -> Option<(&'p [Piece], &'p [Piece], bool)> {
        let [begin, end] = [condition.first()?, condition.last()?];
        if self.is(begin, variable) {
            let length = self.comparison(&condition[1..])?;
            return Some((&condition[1..=length], &condition[1 + length..], false));
        }
        let is_operator = |piece: &Piece| ["<", ">", "!"].iter().any(|text| self.is(piece, text));
        let mut places = condition.iter().enumerate().filter(|(_, piece)| is_operator(piece));
        let at = places.find_map(|(at, _)| self.comparison(&condition[at..]).map(|_| at))?;
        let length = self.comparison(&condition[at..])?;
        let is_last = at + length + 1 == condition.len() && self.is(end, variable);
        is_last.then(|| (&condition[at..at + length], &condition[..at], true))
    }

    /// How many pieces the comparison has that these begin with.
    fn comparison(&self, pieces: &[Piece]) -> Option<usize> {
        let first = pieces.first()?;
        let follows = |text: &str| {
            pieces.get(1).is_some_and(|next| next.start() == first.end() && self.is(next, text))
        };
        match &self.text[first.span()] {
            b"<" | b">" | b"!" if follows("=") => Some(2),
            b"<" if !follows("<") => Some(1),
            b">" if !follows(">") => Some(1),
            _ => None,
        }
    }

    /// Writes the call that counts, and adds what must hold for it.
    fn count_of(
        &self,
        one: &Loop<'a, '_>,
        refuses: &dyn Fn(&[u8]) -> bool,
        conditions: &mut Conditions,
        out: &mut String,
    ) -> Option<()> {
        let mut value = |pieces: &[Piece]| {
            let operands = operands(self.text, pieces, self.cxx, refuses)?;
            let range = pieces.first()?.start()..pieces.last()?.end();
            let text = pragma::in_one_line(self.text, range);
            Some(self.value(text, &operands, conditions))
        };
        let (first, last) = (value(one.first)?, value(one.last)?);
        let Counter { step, down, .. } = one.counter;
        if refuses(step.as_bytes()) {
            return None;
        }
        let is_named = !is_number(step.as_bytes());
        let values = if is_named { vec![Cow::Borrowed(step)] } else { Vec::new() };
        let operands = Operands { values, pointers: Vec::new() };
        let step = self.value(Cow::Borrowed(step), &operands, conditions);
        let [from, to] = if one.up { [first, last] } else { [last, first] };
        out.push_str(self.prefix);
        out.push_str(if one.inclusive { "through(" } else { "until(" });
        self.push(out, &from);
        out.push_str(", ");
        self.push(out, &to);
        out.push_str(if down == one.up { ", -" } else { ", " });
        self.push(out, &step);
        out.push(')');
        Some(())
    }

    /// A value, and the conditions that it is one of type long.
    fn value(
        &self,
        text: Cow<'a, str>,
        operands: &Operands,
        conditions: &mut Conditions,
    ) -> Value<'a> {
        // A number with this many digits fits each type.
        const DIGITS: usize = 9;
        if text.len() <= DIGITS && text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Value::Digits(text);
        }
        if self.cxx {
            for pointer in &operands.pointers {
                conditions.add(&["sizeof(", self.prefix, "raw(", pointer, ")) == 1"]);
            }
            for value in &operands.values {
                conditions.add(&["sizeof(", self.prefix, "kind(", value, ")) == 1"]);
            }
        } else if !operands.values.is_empty() {
            conditions.add(&["__builtin_classify_type(", &text, ") == 1"]);
        }
        Value::Other(text)
    }

    fn push(&self, out: &mut String, value: &Value) {
        let (open, text, close) = match value {
            Value::Digits(text) => (["", ""], text, ""),
            Value::Other(text) if self.cxx => ([self.prefix, "index("], text, ")"),
            Value::Other(text) => (["(long)", "("], text, ")"),
        };
        [open[0], open[1], text, close].iter().for_each(|part| out.push_str(part));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn check(cxx: bool, headers: &[&str]) -> String {
        let text = headers.concat();
        let mut ranges = Vec::new();
        let mut at = 0;
        for header in headers {
            ranges.push(at..at + header.len());
            at += header.len();
        }
        let refuses = |name: &[u8]| name == b"secret";
        let bounds = Bounds { text: text.as_bytes(), cxx, prefix: "pomp_", refuses: &refuses };
        let count = bounds.count(&ranges);
        format!("{}: {}\n", headers.join(" "), count.as_deref().unwrap_or("unknown"))
    }

    #[test]
    fn in_c() {
        let headers: &[&[&str]] = &[
            &["(int i = 0; i < 1000; i++)"],
            &["(i = 0; i <= n; ++i)"],
            &["(i = n - 1; i >= 0; i--)"],
            &["(i = n; 0 < i; i -= 2)"],
            &["(unsigned long i = lo; hi > i; i = i + s)"],
            &["(i = a; i > b; i += s)"],
            &["(i = 0; i != n; i++)"],
            &["(i = 0; i != n; i += 2)"],
            &["(int i = 0; i < n << 1; i += 0x10)"],
            &["(int i = 0; n >> 1 > i; i += 1)"],
            &["(int i = 0; i < n; i++)", "(int j = 0; j < 3000000000; j++)"],
            &["(int i = 0; i < n; i++)", "(int j = i; j < m; j++)"],
            &["(int i = 0; i < n; i++)", "(int j = 0; j < n; j++)", "(int k = 2; k < 9; k += 3)"],
            &["(int i = f(0); i < n; i++)"],
            &["(int i = 0; i < (n = 3); i++)"],
            &["(int i = 0; i < secret; i++)"],
            &["(int i = 0, j = 0; i < n; i++)"],
            &["(double *p = a; p < e; p++)"],
            &["(int i = 0; i < n && i < m; i++)"],
            &["(i = i; i < n; i++)"],
            &["(; i < n; i++)"],
        ];
        let shown: String = headers.iter().map(|headers| check(false, headers)).collect();
        expect![[r#"
            (int i = 0; i < 1000; i++): pomp_until(0, 1000, 1)
            (i = 0; i <= n; ++i): __builtin_classify_type(n) == 1 ? pomp_through(0, (long)(n), 1) : -1
            (i = n - 1; i >= 0; i--): __builtin_classify_type(n - 1) == 1 ? pomp_through(0, (long)(n - 1), 1) : -1
            (i = n; 0 < i; i -= 2): __builtin_classify_type(n) == 1 ? pomp_until(0, (long)(n), 2) : -1
            (unsigned long i = lo; hi > i; i = i + s): __builtin_classify_type(lo) == 1 && __builtin_classify_type(hi) == 1 && __builtin_classify_type(s) == 1 ? pomp_until((long)(lo), (long)(hi), (long)(s)) : -1
            (i = a; i > b; i += s): __builtin_classify_type(a) == 1 && __builtin_classify_type(b) == 1 && __builtin_classify_type(s) == 1 ? pomp_until((long)(b), (long)(a), -(long)(s)) : -1
            (i = 0; i != n; i++): __builtin_classify_type(n) == 1 ? pomp_until(0, (long)(n), 1) : -1
            (i = 0; i != n; i += 2): unknown
            (int i = 0; i < n << 1; i += 0x10): __builtin_classify_type(n << 1) == 1 ? pomp_until(0, (long)(n << 1), (long)(0x10)) : -1
            (int i = 0; n >> 1 > i; i += 1): unknown
            (int i = 0; i < n; i++) (int j = 0; j < 3000000000; j++): __builtin_classify_type(n) == 1 ? pomp_times(pomp_until(0, (long)(n), 1), pomp_until(0, (long)(3000000000), 1)) : -1
            (int i = 0; i < n; i++) (int j = i; j < m; j++): unknown
            (int i = 0; i < n; i++) (int j = 0; j < n; j++) (int k = 2; k < 9; k += 3): __builtin_classify_type(n) == 1 ? pomp_times(pomp_times(pomp_until(0, (long)(n), 1), pomp_until(0, (long)(n), 1)), pomp_until(2, 9, 3)) : -1
            (int i = f(0); i < n; i++): unknown
            (int i = 0; i < (n = 3); i++): unknown
            (int i = 0; i < secret; i++): unknown
            (int i = 0, j = 0; i < n; i++): unknown
            (double *p = a; p < e; p++): unknown
            (int i = 0; i < n && i < m; i++): unknown
            (i = i; i < n; i++): unknown
            (; i < n; i++): unknown
        "#]].assert_eq(&shown);
    }

    #[test]
    fn in_cxx() {
        let headers = [
            "(int i = 0; i < 1000; i++)",
            "(std::size_t i{0}; i < n; i += 2)",
            "(int i(1); i <= mesh->parts[k].n; ++i)",
            "(auto it = first; it != last; ++it)",
            "(int i = 0; i < n + it[2]; i += s)",
            "(int i = 0; i < v.size(); i++)",
            "(auto &x : list)",
        ];
        let shown: String = headers.iter().map(|header| check(true, &[header])).collect();
        expect![[r#"
            (int i = 0; i < 1000; i++): pomp_until(0, 1000, 1)
            (std::size_t i{0}; i < n; i += 2): sizeof(pomp_kind(n)) == 1 ? pomp_until(0, pomp_index(n), 2) : -1
            (int i(1); i <= mesh->parts[k].n; ++i): sizeof(pomp_raw(mesh)) == 1 && sizeof(pomp_raw(mesh->parts)) == 1 && sizeof(pomp_kind(k)) == 1 && sizeof(pomp_kind(mesh->parts[k].n)) == 1 ? pomp_through(1, pomp_index(mesh->parts[k].n), 1) : -1
            (auto it = first; it != last; ++it): sizeof(pomp_kind(first)) == 1 && sizeof(pomp_kind(last)) == 1 ? pomp_until(pomp_index(first), pomp_index(last), 1) : -1
            (int i = 0; i < n + it[2]; i += s): sizeof(pomp_raw(it)) == 1 && sizeof(pomp_kind(n)) == 1 && sizeof(pomp_kind(it[2])) == 1 && sizeof(pomp_kind(s)) == 1 ? pomp_until(0, pomp_index(n + it[2]), pomp_index(s)) : -1
            (int i = 0; i < v.size(); i++): unknown
            (auto &x : list): unknown
        "#]].assert_eq(&shown);
    }
}
