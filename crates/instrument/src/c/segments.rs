//! The walk of all views over one text. Most of a text is the same in most views and is walked only
//! once: a segment ends where nothing is open, in front of a group of conditionals or outside of
//! all groups, and views that show the same of a segment share what was found in it.

use super::conditions::{Branch, View};
use super::lexer::{Kind, Lexed};
use std::ops::Range;

/// What was found in a text.
#[derive(Debug)]
pub(super) struct Segments<T> {
    pub(super) found: Vec<T>,
    /// By view, the segments that it consists of.
    pub(super) views: Vec<Vec<usize>>,
}

impl<T> Segments<T> {
    /// What was found in the segments of these views, each once.
    pub(super) fn of(self, wanted: impl Fn(&[T], &[usize]) -> bool) -> Vec<T> {
        let Self { found, mut views } = self;
        views.retain(|segments| wanted(&found, segments));
        let mut found: Vec<Option<T>> = found.into_iter().map(Some).collect();
        views.into_iter().flatten().filter_map(|segment| found[segment].take()).collect()
    }
}

/// The end of a segment.
#[derive(Debug)]
pub(super) struct Stop<S, T> {
    /// Index of the token behind it.
    pub(super) at: usize,
    /// What is open there.
    pub(super) open: S,
    /// What was found in it.
    pub(super) found: T,
}

/// Where a view stands: the next token, and what is open in front of it.
#[derive(Clone, PartialEq)]
struct Front<S> {
    at: usize,
    open: S,
}

/// Calls `walk` for each segment and the first of the views that show the same of it: with that
/// view, the index of the segment's first token, and what is open in front of it. It goes up to a
/// token behind that one that begins a group or lies in none, or to the last one.
///
/// # Errors
/// That of the first view that fails.
pub(super) fn walk<S: Clone + PartialEq, T, E>(
    lexed: &Lexed,
    views: &[View],
    open: S,
    mut walk: impl FnMut(&View, usize, S) -> Result<Stop<S, T>, E>,
) -> Result<Segments<T>, E> {
    let mut segments = Segments { found: Vec::new(), views: vec![Vec::new(); views.len()] };
    let mut fronts = vec![Front { at: 0, open }; views.len()];
    let mut failed = None;
    while let Some(from) = fronts.iter().map(|front| front.at).min()
        && lexed.tokens[from].kind != Kind::End
    {
        // Each view that was walked here, what was open for it, and the branches that it met.
        let mut walked: Vec<(usize, S, Range<Branch>)> = Vec::new();
        for view in 0..fronts.len() {
            if fronts[view].at != from {
                continue;
            }
            let same = walked.iter().find(|(other, open, branches)| {
                *open == fronts[view].open && views[*other].agrees(&views[view], branches)
            });
            if let Some(&(other, ..)) = same {
                fronts[view] = fronts[other].clone();
                let shared = segments.views[other].last().copied();
                segments.views[view].extend(shared);
                continue;
            }
            let open = fronts[view].open.clone();
            match walk(&views[view], from, open.clone()) {
                Ok(stop) => {
                    let branches = lexed.conditions.branches(from..stop.at);
                    fronts[view] = Front { at: stop.at, open: stop.open };
                    segments.views[view].push(segments.found.len());
                    segments.found.push(stop.found);
                    walked.push((view, open, branches));
                }
                Err(error) => {
                    // A view before this one may fail further down.
                    failed = Some(error);
                    fronts.truncate(view);
                    break;
                }
            }
        }
    }
    failed.map_or(Ok(segments), Err)
}

#[cfg(test)]
mod tests {
    use super::super::lexer;
    use super::*;
    use crate::LineIndex;
    use expect_test::{Expect, expect};

    /// Walks from one group to the next; a text fails in front of a `?`.
    fn check(text: &str, expected: &Expect) {
        let lines = LineIndex::new(text.as_bytes());
        let lexed = lexer::lex(text.as_bytes(), &lines, false, true, true, &[]).unwrap();
        let views = lexed.conditions.views(false);
        let mut walked = String::new();
        let result = walk(&lexed, &views, (), |view, start, ()| {
            let mut at = start;
            loop {
                at = lexed.shown_of_segment(view, start, at);
                let token = lexed.tokens[at];
                let found = &text[token.start as usize..token.end as usize];
                match token.kind {
                    Kind::End | Kind::Condition(_) => break,
                    Kind::Question => return Err(token.start),
                    _ => walked += found,
                }
                at += 1;
            }
            walked += "\n";
            Ok(Stop { at, open: (), found: () })
        });
        let result = result.map(|segments| segments.views);
        expected.assert_eq(&format!("{walked}{result:?}"));
    }

    #[test]
    fn what_is_the_same_is_walked_once() {
        check(
            "a; b;\n#if A\nc;\n#else\nd;\n#endif\ne;\n#if B\nf;\n#else\ng;\n#endif\n",
            &expect![[r#"
                a;b;
                c;e;
                d;e;
                f;
                g;
                Ok([[0, 1, 3], [0, 2, 4]])"#]],
        );
    }

    #[test]
    fn the_first_view_that_fails_says_why() {
        check(
            "#if A\na;\n#else\n?\n#endif\nb;\n#if B\n?\n#endif\n",
            &expect![[r#"
            a;b;
            Err(33)"#]],
        );
    }
}
