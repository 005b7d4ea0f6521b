//! Whether the statement of an atomic construct calls a function, as `n += visit(child)` does. The
//! call takes its time before the update, so the time of such a construct tells nothing about
//! other threads that update the same memory.

use super::pragma;
use crate::directive::PieceKind;
use std::ops::Range;

/// Words before a parenthesis that call nothing.
const NO_CALLS: &[&[u8]] = &[
    b"_Alignof",
    b"alignof",
    b"decltype",
    b"for",
    b"if",
    b"sizeof",
    b"switch",
    b"typeof",
    b"__typeof__",
    b"while",
];

/// Whether any name is followed by a parenthesis. A macro with arguments is taken for a call.
pub(super) fn has_call(text: &[u8], statement: Range<usize>) -> bool {
    let pieces = pragma::pieces(text, statement);
    pieces.windows(2).any(|pair| {
        let opens = pair[1].kind == PieceKind::Open && text[pair[1].span().start] == b'(';
        opens && pair[0].kind == PieceKind::Word && !NO_CALLS.contains(&&text[pair[0].span()])
    })
}

#[cfg(test)]
mod tests {
    use super::has_call;

    #[test]
    fn a_name_before_a_parenthesis_is_called() {
        for text in ["n += f(x);", "{ v = n; n += mesh->size (k); }", "n = MAX(n, x);"] {
            assert!(has_call(text.as_bytes(), 0..text.len()), "{text}");
        }
        for text in ["n++;", "h[key[i]] += (x + y) * sizeof(int);", "if (n < x) { n = x; }"] {
            assert!(!has_call(text.as_bytes(), 0..text.len()), "{text}");
        }
    }
}
