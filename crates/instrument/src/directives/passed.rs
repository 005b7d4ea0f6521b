//! Directives that pass through unchanged: whether they have a body, and whether constructs inside
//! may be instrumented.

use super::Kind;
use crate::directive::Directive;

/// Nothing may be called from the body of these, wherever they stand in a combined construct:
/// device code, simd code, and `loop`, whose body may call no OpenMP routine.
const CLOSED: &[&str] = &["target", "simd", "loop"];

/// Finds what a directive without events is.
pub(super) fn classify(source: &[u8], directive: &Directive, words: &[&str]) -> Kind {
    match words {
        // The lanes of a simd loop; tasks that are recorded once and replayed, with their ids.
        ["ordered" | "taskgraph", ..] => Kind::Body { inside: false },
        ["metadirective"] => Kind::Body { inside: !mentions_closed(source, directive) },
        _ if words.iter().any(|word| CLOSED.contains(word)) && !declarative(words) => {
            Kind::Body { inside: false }
        }
        _ if body(words) => Kind::Body { inside: !super::loops::concurrent(source, directive) },
        _ if stand_alone(words) => Kind::StandAlone,
        _ if declarative(words) => Kind::Declarative,
        _ => Kind::Unknown,
    }
}

fn body(words: &[&str]) -> bool {
    matches!(
        words,
        [
            "assume"
                | "dispatch"
                | "tile"
                | "unroll"
                | "reverse"
                | "interchange"
                | "fuse"
                | "split"
                | "stripe"
                | "allocators"
                | "workdistribute",
            ..
        ]
    )
}

fn stand_alone(words: &[&str]) -> bool {
    matches!(words, ["depobj" | "interop" | "error" | "nothing", ..])
}

fn declarative(words: &[&str]) -> bool {
    if matches!(words, ["task", "iteration"]) {
        return true;
    }
    matches!(
        words,
        [
            "threadprivate"
                | "declare"
                | "begin"
                | "end"
                | "requires"
                | "allocate"
                | "assumes"
                | "scan"
                | "groupprivate",
            ..
        ]
    )
}

/// Whether a metadirective can become a directive that is closed: any of those it names.
pub fn mentions_closed(source: &[u8], directive: &Directive) -> bool {
    let Some(last) = directive.clauses.last() else { return false };
    let text = source[directive.clauses[0].span.start..last.span.end].to_ascii_lowercase();
    let mut words = CLOSED.iter().chain(&["concurrent"]);
    words.any(|word| memchr::memmem::find(&text, word.as_bytes()).is_some())
}
