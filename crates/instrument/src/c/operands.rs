//! Expressions that can be evaluated once more without a difference: names, numbers, members,
//! elements, and arithmetic. Calls, assignments, comparisons and everything else that C and C++
//! have is refused. In C++ an operator may be a function of the program, which the types of the
//! operands tell; therefore the operands are handed out.

use super::pragma;
use crate::directive::{Piece, PieceKind};
use std::borrow::Cow;

/// What an expression is made of, as its text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Operands<'a> {
    /// The values that arithmetic is done with, except numbers.
    pub(super) values: Vec<Cow<'a, str>>,
    /// What is followed by `->` or `[`.
    pub(super) pointers: Vec<Cow<'a, str>>,
}

/// Reads an expression; `None` if it is not such a one. `refuses` says which names must not occur.
pub(super) fn operands<'a>(
    text: &'a [u8],
    pieces: &[Piece],
    cxx: bool,
    refuses: &dyn Fn(&[u8]) -> bool,
) -> Option<Operands<'a>> {
    let found = Operands::default();
    let mut reader = Reader { text, pieces, cxx, refuses, at: 0, depth: 0, found };
    reader.expression()?;
    (reader.at == pieces.len()).then_some(reader.found)
}

/// The nesting of an expression at most. Headers of loops nest less; a deeper one is not read.
const DEPTH_MAX: usize = 32;

struct Reader<'a, 'p> {
    text: &'a [u8],
    pieces: &'p [Piece],
    cxx: bool,
    refuses: &'p dyn Fn(&[u8]) -> bool,
    /// Index of the next piece.
    at: usize,
    depth: usize,
    found: Operands<'a>,
}

impl<'a> Reader<'a, '_> {
    /// The text of a piece, counted from the next one; empty after the last.
    fn ahead(&self, count: usize) -> &'a [u8] {
        self.pieces.get(self.at + count).map_or(b"", |piece| &self.text[piece.span()])
    }

    /// Whether the next two pieces are one operator.
    fn is_double(&self, operator: &[u8; 2]) -> bool {
        let touch = |pair: &[Piece]| pair[0].end() == pair[1].start();
        self.ahead(0) == &operator[..1]
            && self.ahead(1) == &operator[1..]
            && self.pieces.get(self.at..self.at + 2).is_some_and(touch)
    }

    fn expression(&mut self) -> Option<()> {
        self.depth += 1;
        self.unary()?;
        while let Some(length) = self.binary_operator() {
            self.at += length;
            self.unary()?;
        }
        self.depth -= 1;
        Some(())
    }

    fn binary_operator(&self) -> Option<usize> {
        if !matches!(
            self.ahead(0),
            [b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^' | b'<' | b'>']
        ) {
            return None;
        }
        if self.is_double(b"<<") || self.is_double(b">>") {
            return Some(2);
        }
        let logical = [b"&&", b"||", b"++", b"--"].iter().any(|double| self.is_double(double));
        let single = matches!(self.ahead(0), b"+" | b"-" | b"*" | b"/" | b"%" | b"&" | b"|" | b"^");
        (single && !logical && self.ahead(1) != b"=").then_some(1)
    }

    fn unary(&mut self) -> Option<()> {
        loop {
            let cast = self.cast();
            match self.ahead(0) {
                _ if self.is_double(b"++") || self.is_double(b"--") => return None,
                b"+" | b"-" | b"~" => self.at += 1,
                b"*" if !self.cxx => self.at += 1,
                b"(" if cast > 0 => self.at += cast,
                _ => return self.postfix(),
            }
        }
    }

    /// How many pieces a cast to a type of the language or its library has here, or 0.
    fn cast(&self) -> usize {
        if self.ahead(0) != b"(" {
            return 0;
        }
        let words = (1..).take_while(|&count| is_type(self.ahead(count))).count();
        if words > 0 && self.ahead(words + 1) == b")" { words + 2 } else { 0 }
    }

    /// A name, a number or a parenthesis, with what follows it.
    fn postfix(&mut self) -> Option<()> {
        let start = self.at;
        let is_number = self.primary()?;
        loop {
            match self.ahead(0) {
                b"." if !is_number => self.at += 1,
                b"-" if self.is_double(b"->") => {
                    self.pointer(start);
                    self.at += 2;
                }
                b"[" => {
                    self.pointer(start);
                    self.at += 1;
                    self.expression()?;
                    self.expect(b"]")?;
                    continue;
                }
                b"(" | b"{" => return None,
                _ => break,
            }
            self.name()?;
        }
        let only_parenthesis = self.ahead_of(start) == b"(" && self.ends_where_it_closes(start);
        if !is_number && !only_parenthesis {
            let value = self.text_from(start);
            self.found.values.push(value);
        }
        Some(())
    }

    fn ahead_of(&self, at: usize) -> &'a [u8] {
        &self.text[self.pieces[at].span()]
    }

    /// Whether nothing follows the parenthesis that opened at `start`.
    fn ends_where_it_closes(&self, start: usize) -> bool {
        let mut depth = 0usize;
        let close = self.pieces[start..self.at].iter().position(|piece| {
            match piece.kind {
                PieceKind::Open => depth += 1,
                PieceKind::Close => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0
        });
        close == Some(self.at - start - 1)
    }

    /// Whether it is a number.
    fn primary(&mut self) -> Option<bool> {
        let piece = *self.pieces.get(self.at)?;
        match (piece.kind, self.ahead(0)) {
            (PieceKind::Open, b"(") if self.depth < DEPTH_MAX => {
                self.at += 1;
                self.expression()?;
                self.expect(b")")?;
                Some(false)
            }
            (PieceKind::Other, number) if is_number(number) => {
                self.at += 1;
                Some(true)
            }
            (PieceKind::Word, _) | (PieceKind::Other, b"::") => {
                self.at += usize::from(piece.kind == PieceKind::Other);
                self.name()?;
                while self.ahead(0) == b"::" {
                    self.at += 1;
                    self.name()?;
                }
                Some(false)
            }
            _ => None,
        }
    }

    fn name(&mut self) -> Option<()> {
        let word = self.ahead(0);
        let is_word = self.pieces.get(self.at)?.kind == PieceKind::Word;
        self.at += 1;
        (is_word && !is_type(word) && !is_keyword(word) && !(self.refuses)(word)).then_some(())
    }

    fn expect(&mut self, text: &[u8]) -> Option<()> {
        let found = self.ahead(0) == text;
        self.at += 1;
        found.then_some(())
    }

    /// What has been read since `start` is followed.
    fn pointer(&mut self, start: usize) {
        let pointer = self.text_from(start);
        if pointer != "this" {
            self.found.pointers.push(pointer);
        }
    }

    fn text_from(&self, start: usize) -> Cow<'a, str> {
        let range = self.pieces[start].start()..self.pieces[self.at - 1].end();
        pragma::in_one_line(self.text, range)
    }
}

/// Whether this word is no name of a value.
fn is_keyword(word: &[u8]) -> bool {
    matches!(
        word,
        b"sizeof"
            | b"alignof"
            | b"_Alignof"
            | b"typeof"
            | b"__typeof__"
            | b"decltype"
            | b"new"
            | b"delete"
            | b"throw"
            | b"co_await"
            | b"co_yield"
            | b"typeid"
            | b"operator"
            | b"template"
            | b"noexcept"
            | b"volatile"
            | b"const"
            | b"struct"
            | b"class"
            | b"enum"
            | b"static_cast"
            | b"const_cast"
            | b"dynamic_cast"
            | b"reinterpret_cast"
            | b"__extension__"
            | b"__real__"
            | b"__imag__"
    )
}

/// Whether this word is one of a type of integers.
fn is_type(word: &[u8]) -> bool {
    let sized = |word: &[u8]| matches!(word, b"8_t" | b"16_t" | b"32_t" | b"64_t" | b"ptr_t");
    let exact = word.strip_prefix(b"u").unwrap_or(word).strip_prefix(b"int").is_some_and(sized);
    exact
        || matches!(
            word,
            b"int" | b"long" | b"unsigned" | b"signed" | b"short" | b"char" | b"bool" | b"_Bool"
        )
        || matches!(word, b"size_t" | b"ssize_t" | b"ptrdiff_t")
}

/// Whether this is a literal of an integer, without a suffix of the program.
pub(super) fn is_number(text: &[u8]) -> bool {
    let (digits, hexadecimal) = match text {
        [b'0', b'x' | b'X', rest @ ..] => (rest, true),
        rest => (rest, false),
    };
    let is_suffix = |byte: &&u8| matches!(byte, b'u' | b'U' | b'l' | b'L');
    let suffix = digits.iter().rev().take_while(is_suffix).count();
    let digits = &digits[..digits.len() - suffix];
    let is_digit = |byte: &u8| byte.is_ascii_digit() || hexadecimal && byte.is_ascii_hexdigit();
    digits.first().is_some_and(is_digit) && digits.iter().all(is_digit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    /// The operands of an expression: values / pointers.
    fn shown(expression: &str) -> String {
        let text = expression.as_bytes();
        let pieces = pragma::pieces(text, 0..text.len());
        let [c, cxx] =
            [false, true].map(|cxx| operands(text, &pieces, cxx, &|name| name == b"bad"));
        match (c, cxx) {
            (None, None) => "no".to_owned(),
            (Some(_), None) => "only in C".to_owned(),
            (_, Some(Operands { values, pointers })) => {
                format!("{} / {}", values.join(", "), pointers.join(", "))
            }
        }
    }

    #[test]
    fn what_is_evaluated_once_more() {
        let expressions = [
            "n",
            "1000UL",
            "n - 1",
            "(rows + 3) / 4 * B",
            "a[i + 1]",
            "mesh->part[k].size - this->ghost",
            "(p)->n",
            "ns::K::size",
            "::n",
            "(size_t) n << 3",
            "(unsigned long)(n) | 1",
            "-n + +m",
            "*n",
        ];
        let lines = expressions.map(|expression| format!("{expression}: {}\n", shown(expression)));
        expect![[r#"
            n: n / 
            1000UL:  / 
            n - 1: n / 
            (rows + 3) / 4 * B: rows, B / 
            a[i + 1]: i, a[i + 1] / a
            mesh->part[k].size - this->ghost: k, mesh->part[k].size, this->ghost / mesh, mesh->part
            (p)->n: p, (p)->n / (p)
            ns::K::size: ns::K::size / 
            ::n: ::n / 
            (size_t) n << 3: n / 
            (unsigned long)(n) | 1: n / 
            -n + +m: n, m / 
            *n: only in C
        "#]]
        .assert_eq(&lines.concat());
    }

    #[test]
    fn what_may_have_an_effect_or_is_no_integer() {
        for expression in [
            "f(x)",
            "f (x) + 1",
            "(f)(x)",
            "v.size()",
            "n++",
            "--n",
            "n - --m",
            "n = 3",
            "n += 3",
            "a < b ? a : b",
            "a && b",
            "sizeof(int)",
            "x<3>::n",
            "1.5",
            "1e3",
            "10_km",
            "'a'",
            "int(n)",
            "static_cast<int>(n)",
            "[] { return 3; }()",
            "a, b",
            "bad + 1",
            "(n",
            "",
        ] {
            assert_eq!(shown(expression), "no", "{expression}");
        }
    }

    #[test]
    fn deep_nesting_is_refused() {
        let text = [&b"("[..]; 100_000].concat();
        let pieces = pragma::pieces(&text, 0..text.len());
        assert_eq!(operands(&text, &pieces, false, &|_| false), None);
    }
}
