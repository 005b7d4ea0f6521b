//! The bodies of functions, as the views of a text show them.

use super::conditions::View;
use super::head;
use super::lexer::Lexed;
use super::outline::{self, Function, Outline};
use super::pragma::Found;

/// The function bodies of all views.
#[derive(Debug, Default)]
pub(super) struct Bodies {
    /// In the order of the text.
    pub(super) functions: Vec<Function>,
    /// Where the braces of a view do not match.
    pub(super) unbalanced: Option<usize>,
}

/// Finds the function bodies. Views whose braces do not match are not believed.
pub(super) fn bodies(text: &[u8], lexed: &Lexed, views: &[View], cxx: bool) -> Bodies {
    let macros = head::Macros::of(text);
    let language = head::Language { text, cxx, macros: &macros };
    let segments = outline::outline(language, lexed, views);
    let first_unbalanced = |found: &[Outline], segments: &[usize]| {
        segments.iter().find_map(|&segment| found[segment].unbalanced)
    };
    let of_views = segments.views.iter();
    let unbalanced = of_views.filter_map(|view| first_unbalanced(&segments.found, view)).next();
    let believed = segments.of(|found, view| first_unbalanced(found, view).is_none());
    let mut functions: Vec<Function> = Vec::new();
    believed.into_iter().for_each(|outline| functions.extend(outline.functions));
    functions.sort_by_key(|function| function.open);
    functions.dedup_by(|next, function| {
        let is_same = next.open == function.open;
        function.closed |= is_same && next.closed;
        is_same
    });
    Bodies { functions, unbalanced }
}

impl Bodies {
    /// The name of the function around each of these directives, which are in the order of the
    /// text; that of what is around a lambda. Empty where none is known.
    pub(super) fn around(&self, directives: &[Found]) -> Vec<&str> {
        let mut functions = self.functions.iter().peekable();
        let mut open: Vec<&Function> = Vec::new();
        let name_at = |found: &Found| {
            let at = found.span.start;
            while let Some(function) = functions.next_if(|function| function.open <= at) {
                leave(&mut open, function.open);
                open.push(function);
            }
            leave(&mut open, at);
            open.last().map_or("", |function| function.name.as_str())
        };
        directives.iter().map(name_at).collect()
    }
}

/// Drops the functions that end before this offset.
fn leave(open: &mut Vec<&Function>, at: usize) {
    while open.last().is_some_and(|function| function.close <= at) {
        open.pop();
    }
}
