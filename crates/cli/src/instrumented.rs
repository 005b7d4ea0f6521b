//! What the instrumenter has done, and why it could not, in the words of messages: for one file
//! that `instrument` rewrites, and for all those that `compile` rewrites.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use pompeii_instrument::{Error, Outcome};

use crate::terminal::{indented, shown};

/// How much was instrumented.
pub fn summary(outcome: &Outcome) -> String {
    let (done, found) = (outcome.directives_instrumented, outcome.directives_found);
    let functions = match outcome.functions_instrumented {
        1 => "1 function".to_owned(),
        count => format!("{count} functions"),
    };
    match (found, outcome.functions_instrumented) {
        (_, 0) => format!("instrumented {done} of {found} directives"),
        (0, _) => format!("instrumented {functions}"),
        _ => format!("instrumented {done} of {found} directives and {functions}"),
    }
}

/// An error of the instrumenter with its place in the source.
pub fn render(name: &str, error: &Error) -> String {
    let column = (error.column.max(1) as usize - 1).min(error.source_line.len());
    let label = if error.expected.is_empty() { "here" } else { error.expected.as_str() };
    let (before, after) =
        error.source_line.split_at_checked(column).unwrap_or((&error.source_line, ""));
    // Escapes are longer than what they stand for, so the place moves. A tab indents.
    let tabs = |text: &str| text.split('\t').map(shown).collect::<Vec<_>>().join("\t");
    let (column, source_line) = (tabs(before).len(), tabs(before) + &tabs(after));
    let end = (column + 1).min(source_line.len()).max(column);
    let snippet = Snippet::source(source_line.as_str())
        .line_start(error.line as usize)
        .path(shown(name))
        .annotation(AnnotationKind::Primary.span(column..end).label(label));
    let message = Level::ERROR.primary_title(shown(&error.message)).element(snippet);
    let text = Renderer::plain().render(&[message]);
    let (first, further) = text.split_once('\n').unwrap_or((&text, ""));
    // Who shows it says whether it is an error.
    first.strip_prefix("error: ").unwrap_or(first).to_owned() + &indented(further)
}
