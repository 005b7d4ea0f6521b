//! The variable that a loop counts with, and its step, as the header of the loop tells them: with
//! both, the measurement knows which iterations of a thread are neighbours.

use crate::directive::{Piece, PieceKind};

/// What `for (i = 0; i < n; i += 2)` counts with.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Counter<'a> {
    /// The name of the variable.
    pub(super) variable: &'a str,
    /// A number or a name.
    pub(super) step: &'a str,
    /// Whether that much is subtracted.
    pub(super) down: bool,
}

/// The largest number of pieces of an increment, such as `i = i - -2`.
const INCREMENT_MAX: usize = 6;

/// Reads the header of a loop, which begins with its parenthesis. `None` if it has not one of the
/// forms that OpenMP defines, or if the step is more than a number or a name: it is evaluated in
/// each iteration.
pub(super) fn counter<'a>(text: &'a [u8], header: &[Piece]) -> Option<Counter<'a>> {
    let inner = header.get(1..header.len().checked_sub(1)?)?;
    let of = |piece: &Piece| &text[piece.span()];
    let mut parts = inner.split(|piece| of(piece) == b";");
    let (init, _, increment) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || init.iter().any(|piece| matches!(of(piece), b"*" | b"#")) {
        return None;
    }
    let mut words = [&b""[..]; INCREMENT_MAX];
    let words = words.get_mut(..increment.len())?;
    words.iter_mut().zip(increment).for_each(|(word, piece)| *word = of(piece));
    let (variable, negative, step): (_, _, &[&[u8]]) = match &*words {
        [v, b"+", b"+"] | [b"+", b"+", v] => (v, false, &[b"1"]),
        [v, b"-", b"-"] | [b"-", b"-", v] => (v, true, &[b"1"]),
        [v, b"+", b"=", step @ ..] => (v, false, step),
        [v, b"-", b"=", step @ ..] => (v, true, step),
        [v, b"=", w, b"+", step @ ..] if v == w => (v, false, step),
        [v, b"=", w, b"-", step @ ..] if v == w => (v, true, step),
        [v, b"=", step @ .., b"+", w] if v == w => (v, false, step),
        _ => return None,
    };
    let is_name = increment.iter().any(|p| p.kind == PieceKind::Word && of(p) == *variable);
    let (minus, step) = match step {
        [step] => (false, *step),
        [b"-", step] => (true, *step),
        _ => return None,
    };
    let plain = step.iter().copied().all(super::scan::is_ident);
    let down = negative != minus;
    let name = |text: &'a [u8]| std::str::from_utf8(text).ok();
    if !is_name || !plain {
        return None;
    }
    Some(Counter { variable: name(variable)?, step: name(step)?, down })
}

#[cfg(test)]
mod tests {
    use super::super::pragma;
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
            let pieces = pragma::pieces(header.as_bytes(), 0..header.len());
            let found = counter(header.as_bytes(), &pieces);
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
