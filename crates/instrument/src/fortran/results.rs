//! Whether other code of a parallel region uses what a worksharing construct stores, as
//! `c/results.rs` tells for C: elements of arrays that the construct assigns, and that stand
//! elsewhere with another index, or as a whole.

use super::code::Code;
use super::cursor::is_name;
use super::plan::Facts;
use super::scan::Kind;
use super::site::{Close, Site};
use crate::directives::{self, Level};
use std::ops::Range;

/// How many statements before and after a construct are read: with more, a parallel region with
/// many constructs would be the work of their square.
const LOOKED_AT: usize = 100;

impl Facts<'_> {
    /// Whether other code of the parallel region around uses elements that the construct assigns.
    pub(super) fn results_are_used(&self, site: &Site) -> bool {
        let sites = &self.nest.sites;
        let parents = std::iter::successors(site.parent, |&at| sites[at].parent);
        let is_parallel = |site: &&Site| match &self.parsed[site.directive].kind {
            directives::Kind::Events(levels) => levels.contains(&Level::Parallel),
            _ => false,
        };
        let Some(parallel) = parents.map(|at| &sites[at]).find(is_parallel) else { return false };
        let (Some(own), Some(around)) = (inside(site), inside(parallel)) else { return false };
        let stored: Vec<(Vec<u8>, Vec<u8>)> =
            self.code(own.start..own.end.min(own.start + LOOKED_AT)).filter_map(assigned).collect();
        if stored.is_empty() {
            return false;
        }
        let before = around.start.max(own.start.saturating_sub(LOOKED_AT))..own.start;
        let after = own.end..around.end.min(own.end + LOOKED_AT);
        self.code(before)
            .chain(self.code(after))
            .any(|text| stored.iter().any(|(name, index)| has_other(&text, name, index)))
    }

    /// The code of these statements, in lower case and without blanks.
    fn code(&self, statements: Range<usize>) -> impl Iterator<Item = Vec<u8>> {
        let all = self.scan.statements.get(statements).unwrap_or_default().iter();
        let code = all.filter(|statement| matches!(statement.kind, Kind::Code(_)));
        code.map(|&statement| Code::of(self.source, self.scan, self.form, statement).text)
    }
}

/// The statements of a construct, without its directives.
fn inside(site: &Site) -> Option<Range<usize>> {
    let end = match site.close {
        Close::Directive(at) => at,
        Close::After(at) => at + 1,
        _ => return None,
    };
    Some(site.opened + 1..end)
}

/// Name and indices of the element that a statement assigns, also one after IF (...).
fn assigned(text: Vec<u8>) -> Option<(Vec<u8>, Vec<u8>)> {
    let is_if = text.starts_with(b"if(");
    let begin = if is_if { close(&text, 2)? } else { 0 };
    let text = &text[begin..];
    let open = text.iter().position(|&c| !is_name(c)).filter(|&at| at > 0 && text[at] == b'(')?;
    let mut end = close(text, open)?;
    while let Some(&next) = text.get(end) {
        end = match next {
            b'(' => close(text, end)?,
            b'%' => end + 1,
            c if is_name(c) => end + 1,
            _ => break,
        };
    }
    let is_assignment = text.get(end) == Some(&b'=') && text.get(end + 1) != Some(&b'=');
    is_assignment.then(|| (text[..open].to_vec(), text[open..end].to_vec()))
}

/// The place after a balanced parenthesis that opens at `from`.
fn close(text: &[u8], from: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.iter().enumerate().skip(from) {
        match c {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

/// Whether a statement has this array with other indices, or as a whole.
fn has_other(text: &[u8], name: &[u8], index: &[u8]) -> bool {
    let is_word = |at: usize| {
        let begins = at == 0 || !is_name(text[at - 1]);
        begins && !text.get(at + name.len()).is_some_and(|&c| is_name(c))
    };
    let mut found = memchr::memmem::find_iter(text, name).filter(|&at| is_word(at));
    found.any(|at| !text[at + name.len()..].starts_with(index))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_is_assigned_by_a_statement() {
        let of = |text: &str| {
            let found = assigned(text.as_bytes().to_vec())?;
            let text = |bytes| String::from_utf8(bytes).unwrap();
            Some(format!("{} {}", text(found.0), text(found.1)))
        };
        assert_eq!(of("a(i,j)=b(i)"), Some("a (i,j)".to_owned()));
        assert_eq!(of("if(x(i)>0)a(i)=1"), Some("a (i)".to_owned()));
        assert_eq!(of("cell(i)%sum=1"), Some("cell (i)%sum".to_owned()));
        for text in ["callrest(i)", "s=a(i)", "if(a(i)==1)then", "a=0", "write(*,*)a(i)"] {
            assert_eq!(of(text), None, "{text}");
        }
    }

    #[test]
    fn other_indices_and_the_whole_array_are_used() {
        let has = |text: &str| has_other(text.as_bytes(), b"a", b"(i)");
        assert!(has("b(i)=a(i-1)") && has("callnorm(a)") && has("a=0"));
        assert!(!has("b(i)=a(i)+aa(i-1)") && !has("callrest(i)"));
    }
}
