//! Code for devices: functions that `declare target` lists. What is compiled for a device can call
//! no measurement, wherever its directives stand.

use super::functions::Bodies;
use super::lexer::Lexed;
use super::pragma::Found;
use crate::directives::passed;
use std::collections::BTreeSet;
use std::ops::Range;

/// Whether the text can have such lists at all.
pub(super) fn possible(text: &[u8]) -> bool {
    let behind = |at: usize| text.get(at + b"declare".len()..).unwrap_or_default();
    memchr::memmem::find_iter(text, b"declare")
        .any(|at| matches!(behind(at), [b' ' | b'_', b't', b'a', b'r', b'g', b'e', b't', ..]))
}

/// The functions that are listed; not those that are for the host alone.
pub(super) fn listed(text: &[u8], lexed: &Lexed) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for found in &lexed.directives {
        let directive = &found.directive;
        let host = directive.clause("device_type").and_then(|clause| clause.argument.clone());
        let host = host.is_some_and(|argument| &text[argument] == b"host");
        if directive.name().replace('_', " ") == "declare target" && !host {
            let lists = ["to", "enter", "link", "local"];
            let clauses = directive.clauses.iter();
            let clauses = clauses.filter(|clause| lists.contains(&&*clause.name));
            let items = clauses.flat_map(|clause| directive.items(clause));
            let spans = items.map(|item| item.span).chain(directive.argument.clone());
            let texts = spans.map(|span| String::from_utf8_lossy(&text[span]).into_owned());
            names.extend(texts.flat_map(|text| {
                text.split(',').map(|name| name.trim().to_owned()).collect::<Vec<_>>()
            }));
        }
    }
    names
}

/// The bodies of these functions, in the order of the text.
pub(super) fn ranges(bodies: &Bodies, names: &BTreeSet<String>) -> Vec<Range<usize>> {
    let bodies = bodies.functions.iter().filter(|function| names.contains(function.last()));
    bodies.map(|function| function.open..function.close).collect()
}

/// Opens and closes the ranges in which all code may be for devices: behind a `declare target`
/// without a list, and what a `begin metadirective` can make one.
pub(super) fn turn(text: &[u8], found: &Found, depth: &mut usize) {
    let directive = &found.directive;
    match directive.name().replace('_', " ").as_str() {
        "begin declare target" => *depth += 1,
        "declare target" if directive.argument.is_none() && directive.clauses.is_empty() => {
            *depth += 1;
        }
        "begin metadirective" if passed::mentions_closed(text, directive) => *depth += 1,
        "end declare target" | "end metadirective" => *depth = depth.saturating_sub(1),
        _ => {}
    }
}
