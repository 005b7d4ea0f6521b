//! Whether other code of a parallel region uses what a worksharing construct stores. If it does,
//! the barrier at the end of the construct is needed: another thread may have stored what a thread
//! reads next. Only what can be told from the text counts: elements of arrays that the construct
//! assigns, and that stand elsewhere with another index, or as a whole. With the same index, a loop
//! with the same schedule reads what its own thread has stored.

use super::pragma;
use crate::directive::{Piece, PieceKind};
use std::ops::Range;

/// How many bytes before and after a construct are read: with more, a parallel region with many
/// constructs would be the work of their square.
const LOOKED_AT: usize = 4096;

/// An element of an array.
struct Element<'a> {
    name: &'a [u8],
    /// Its indices and members.
    rest: Vec<&'a [u8]>,
    is_assigned: bool,
    /// A declaration of a local array looks like an element of it.
    is_declared: bool,
}

/// Whether elements that `body` assigns are used in the rest of `around`.
pub(super) fn are_used(text: &[u8], body: Range<usize>, around: Range<usize>) -> bool {
    let stores = code(text, body.start..body.end.min(body.start + LOOKED_AT));
    let elements = elements(text, &stores);
    let is_local = |name: &[u8]| elements.iter().any(|of| of.is_declared && of.name == name);
    let stored: Vec<&Element> =
        elements.iter().filter(|of| of.is_assigned && !is_local(of.name)).collect();
    if stored.is_empty() {
        return false;
    }
    let before = around.start.max(body.start.saturating_sub(LOOKED_AT))..body.start;
    let after = body.end..around.end.min(body.end + LOOKED_AT);
    [before, after].into_iter().filter(|range| range.start < range.end).any(|range| {
        let pieces = code(text, range);
        let used = |(at, piece): (usize, &Piece)| {
            let name = &text[piece.span()];
            let known = stored.iter().filter(|of| of.name == name);
            let here = element(text, &pieces, at);
            known.into_iter().any(|of| here.as_ref().is_none_or(|here| here.rest != of.rest))
        };
        pieces.iter().enumerate().filter(|(_, piece)| piece.kind == PieceKind::Word).any(used)
    })
}

/// The pieces of a range without lines for the preprocessor: clauses name variables too.
fn code(text: &[u8], range: Range<usize>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let (mut line, mut is_directive) = (range.start, false);
    while line < range.end {
        let length = text[line..range.end].iter().position(|&byte| byte == b'\n');
        let end = length.map_or(range.end, |length| line + length);
        let words = text[line..end].trim_ascii();
        is_directive |= words.starts_with(b"#");
        if !is_directive {
            pieces.extend(pragma::pieces(text, line..end));
        }
        is_directive &= words.ends_with(b"\\");
        line = end + 1;
    }
    pieces
}

fn elements<'a>(text: &'a [u8], pieces: &[Piece]) -> Vec<Element<'a>> {
    (0..pieces.len()).filter_map(|at| element(text, pieces, at)).collect()
}

/// The element of an array whose name is the piece `at`.
fn element<'a>(text: &'a [u8], pieces: &[Piece], at: usize) -> Option<Element<'a>> {
    let of = |piece: &Piece| &text[piece.span()];
    let is = |at: usize, wanted: &[u8]| pieces.get(at).is_some_and(|piece| of(piece) == wanted);
    if pieces[at].kind != PieceKind::Word || !is(at + 1, b"[") {
        return None;
    }
    let (mut next, mut depth, mut rest) = (at + 1, 0, Vec::new());
    while let Some(piece) = pieces.get(next) {
        let is_member = is(next, b".") || (is(next, b"-") && is(next + 1, b">"));
        let was_member = is(next - 1, b".") || is(next - 1, b">") || is(next - 1, b"-");
        let goes_on = depth > 0 || is(next, b"[") || is_member || (was_member && next > at + 1);
        if !goes_on {
            break;
        }
        match piece.kind {
            PieceKind::Open => depth += 1,
            PieceKind::Close => depth -= 1,
            _ => {}
        }
        rest.push(of(piece));
        next += 1;
    }
    let twice = |at: usize| is(at, b"+") && is(at + 1, b"+") || is(at, b"-") && is(at + 1, b"-");
    let operators: [&[u8]; 8] = [b"+", b"-", b"*", b"/", b"%", b"&", b"|", b"^"];
    let is_assigned = match () {
        () if is(next, b"=") => !is(next + 1, b"="),
        () if operators.iter().any(|operator| is(next, operator)) => is(next + 1, b"="),
        () => false,
    };
    let is_counted = twice(next) || at > 1 && twice(at - 2);
    let is_declared = at > 0 && pieces[at - 1].kind == PieceKind::Word;
    let name = of(&pieces[at]);
    Some(Element { name, rest, is_assigned: is_assigned || is_counted, is_declared })
}

#[cfg(test)]
mod tests {
    use super::are_used;

    /// Whether the rest of a region uses what the code between `<` and `>` stores.
    fn check(region: &str) -> bool {
        let start = region.find('{').unwrap();
        let end = start + region[start..].find("}}").unwrap() + 2;
        are_used(region.as_bytes(), start..end, 0..region.len())
    }

    #[test]
    fn an_element_with_another_index_may_be_of_another_thread() {
        for region in [
            "{{ a[i] = f(i); }} b[i] = a[i - 1];",
            "{{ a[i][j] += 1; }} b[i] = a[j][i];",
            "x = a[n]; {{ a[i]++; }}",
            "{{ ++cells[i].count; }} s += cells[0].count;",
            "{{ p->u[i] = 1; }} exchange(p->u);",
        ] {
            assert!(check(region), "{region}");
        }
    }

    #[test]
    fn the_own_element_and_other_arrays_are_no_reason() {
        for region in [
            "{{ a[i] = f(i); }} b[i] = c[i - 1];",
            "{{ a[i] = f(i); }} b[i] = a[ i ];",
            "{{ s = a[i] == 3; }} b[i] = a[i - 1];",
            "{{ double t[3]; t[0] = 1; }} u = t[1];",
            "{{ a[i] = f(i); }}\n#pragma omp for shared(a)\n b[i] = 1;",
            "{{ a[i] = f(i); }} // a[i - 1]\n b[i] = 1;",
        ] {
            assert!(!check(region), "{region}");
        }
    }
}
