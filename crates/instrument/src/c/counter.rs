//! The variable that a loop counts with, and its step, as the header of the loop tells them: with
//! both, the measurement knows which iterations of a thread are neighbours.

use super::pragma;
use crate::directive::{Piece, PieceKind};
use std::ops::Range;

/// What `for (i = 0; i < n; i += 2)` counts with.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Counter {
    /// The name of the variable.
    pub(super) variable: String,
    /// A number or a name.
    pub(super) step: String,
    /// Whether that much is subtracted.
    pub(super) down: bool,
}

/// Reads the header of a loop, which begins with its parenthesis. `None` if it has not one of the
/// forms that OpenMP defines, or if the step is more than a number or a name: it is evaluated in
/// each iteration.
pub(super) fn counter(text: &[u8], header: Range<usize>) -> Option<Counter> {
    let pieces = pragma::pieces(text, header);
    let inner = pieces.get(1..pieces.len().checked_sub(1)?)?;
    let of = |piece: &Piece| std::str::from_utf8(&text[piece.span()]).unwrap_or_default();
    let mut parts = inner.split(|piece| of(piece) == ";");
    let (init, _, increment) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || init.iter().any(|piece| matches!(of(piece), "*" | "#")) {
        return None;
    }
    let words: Vec<&str> = increment.iter().map(of).collect();
    let (variable, negative, step): (_, _, &[&str]) = match words.as_slice() {
        [v, "+", "+"] | ["+", "+", v] => (v, false, &["1"]),
        [v, "-", "-"] | ["-", "-", v] => (v, true, &["1"]),
        [v, "+", "=", step @ ..] => (v, false, step),
        [v, "-", "=", step @ ..] => (v, true, step),
        [v, "=", w, "+", step @ ..] if v == w => (v, false, step),
        [v, "=", w, "-", step @ ..] if v == w => (v, true, step),
        [v, "=", step @ .., "+", w] if v == w => (v, false, step),
        _ => return None,
    };
    let is_name = increment.iter().any(|p| p.kind == PieceKind::Word && of(p) == *variable);
    let (minus, step) = match step {
        [step] => (false, step),
        ["-", step] => (true, step),
        _ => return None,
    };
    let plain = step.bytes().all(super::scan::is_ident);
    (is_name && plain).then(|| Counter {
        variable: (*variable).to_owned(),
        step: (*step).to_owned(),
        down: negative != minus,
    })
}

#[cfg(test)]
mod tests {
    use super::counter;
    use expect_test::expect;

    #[test]
    fn forms_of_headers() {
        let headers = [
            "(int i = 0; i < n; i++)",
            "(i = n; i > 0; --i)",
            "(size_t i{0}; i != n; i += 2u)",
            "(i = n; i >= 0; i -= step)",
            "(i = 0; i < n; i = i + s)",
            "(i = 0; i < n; i = s + i)",
            "(i = 0; i < n; i /* x */ += -2)",
            "(i = 0; i < n; i += f(x))",
            "(double *p = a; p < e; p++)",
            "(auto &x : list)",
            "(auto n = 1; auto &x : list)",
        ];
        let mut output = String::new();
        for header in headers {
            let found = counter(header.as_bytes(), 0..header.len());
            let found = found.map(|found| {
                format!("{} {}{}", found.variable, if found.down { "-" } else { "" }, found.step)
            });
            output += &format!("{header}: {}\n", found.unwrap_or_default());
        }
        expect![[r#"
            (int i = 0; i < n; i++): i 1
            (i = n; i > 0; --i): i -1
            (size_t i{0}; i != n; i += 2u): i 2u
            (i = n; i >= 0; i -= step): i -step
            (i = 0; i < n; i = i + s): i s
            (i = 0; i < n; i = s + i): i s
            (i = 0; i < n; i /* x */ += -2): i -2
            (i = 0; i < n; i += f(x)): 
            (double *p = a; p < e; p++): 
            (auto &x : list): 
            (auto n = 1; auto &x : list): 
        "#]]
        .assert_eq(&output);
    }
}
