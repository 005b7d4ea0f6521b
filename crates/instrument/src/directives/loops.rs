//! Worksharing: which constructs end with a barrier, and when that barrier has to stay implicit.
//!
//! Normally the barrier is made explicit (`nowait`, then a measured barrier). It stays where a
//! compiler refuses `nowait` or gives a wrong result with it, and where we cannot know.

use super::Level;
use crate::clauses;
use crate::directive::Directive;

/// Worksharing constructs with events.
pub(super) fn is_worksharing(level: Level) -> bool {
    matches!(
        level,
        Level::Loop { .. } | Level::Sections | Level::Workshare | Level::Single | Level::Scope
    )
}

/// Whether the iterations may run in any order, so that nothing may be called inside.
pub(super) fn concurrent(source: &[u8], directive: &Directive) -> bool {
    directive.clause("order").and_then(|clause| clause.argument.clone()).is_some_and(|argument| {
        let text = source[argument].to_ascii_lowercase();
        memchr::memmem::find(&text, b"concurrent").is_some()
    })
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
