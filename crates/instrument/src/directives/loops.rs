//! Worksharing: which constructs end with a barrier, and when that barrier has to stay implicit.
//!
//! Normally the barrier is made explicit (`nowait`, then a measured barrier). It stays where a
//! compiler refuses `nowait` or gives a wrong result with it, and where we cannot know.

use crate::clauses;
use crate::directive::Directive;

/// Whether the iterations may run in any order, so that nothing may be called inside.
pub(super) fn concurrent(source: &[u8], directive: &Directive) -> bool {
    directive.clause("order").and_then(|clause| clause.argument.clone()).is_some_and(|argument| {
        let text = source[argument].to_ascii_lowercase();
        memchr::memmem::find(&text, b"concurrent").is_some()
    })
}

/// Whether a `loop` is not one of the team's threads: then no barrier ends it.
pub(super) fn binds_elsewhere(source: &[u8], directive: &Directive) -> bool {
    let argument = directive.clause("bind").and_then(|clause| clause.argument.clone());
    argument.is_some_and(|argument| !source[argument].eq_ignore_ascii_case(b"parallel"))
}

/// Why the implicit barrier of a worksharing construct stays, if it does. A `cancel` in the body is
/// for the caller to find.
pub fn barrier_stays(source: &[u8], directive: &Directive) -> Option<&'static str> {
    let modified = |name: &str, word: &str| {
        let mut clauses = directive.clauses.iter();
        clauses.any(|clause| clause.name == name && clause.has_modifier(source, word))
    };
    if directive.has("nowait") {
        Some("nowait")
    } else if directive.has("copyprivate") {
        Some("copyprivate")
    } else if modified("reduction", "task") {
        Some("reduction with the task modifier")
    } else if modified("reduction", "inscan") {
        Some("reduction with the inscan modifier")
    } else if modified("lastprivate", "conditional") {
        Some("lastprivate with the conditional modifier")
    } else if directive.clauses.iter().any(|clause| !clauses::is_known(&clause.name)) {
        Some("a clause that is not known")
    } else {
        None
    }
}

/// How many nested loops a construct is about; `None` if the text does not say it with a number.
pub fn depth(source: &[u8], directive: &Directive) -> Option<usize> {
    let mut depth = 1;
    for name in ["collapse", "ordered"] {
        let argument = directive.clause(name).and_then(|clause| clause.argument.clone());
        if let Some(argument) = argument {
            depth = depth.max(std::str::from_utf8(&source[argument]).ok()?.trim().parse().ok()?);
        }
    }
    Some(depth)
}

/// How many nested loops a transformation of loops is about, as far as its text says; `None` if
/// the directive is none, or one of a sequence of loops.
pub fn transformed(directive: &Directive) -> Option<usize> {
    let listed = |name: &str| directive.clause(name).map(|clause| directive.items(clause).count());
    match &*directive.words.first()?.text {
        "tile" | "stripe" => listed("sizes"),
        "interchange" => Some(listed("permutation").unwrap_or(2)),
        "unroll" | "reverse" | "split" => Some(1),
        _ => None,
    }
}
