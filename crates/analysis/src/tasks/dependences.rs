//! Whether a trace has the dependences between its tasks. Without them, a span may be too short.

use pompeii_model::Role;
use pompeii_replay::definitions::Definitions;
pub use pompeii_replay::task::compound::Dependences;

/// Whether the records of tasks have the items of their `depend` clauses, if there are such
/// clauses. Only Pompeii writes them.
pub fn are_recorded(definitions: &Definitions) -> bool {
    !definitions.depend.is_empty() || definitions.tells_off && !has_depend(definitions)
}

/// Whether the program has task constructs with a `depend` clause.
pub fn has_depend(definitions: &Definitions) -> bool {
    definitions.regions.iter().any(|region| {
        let is_task = matches!(region.role, Role::Task | Role::TaskCreate);
        let clauses = region.written_clauses().to_ascii_lowercase();
        is_task && clauses.split(' ').any(|word| word.starts_with("depend("))
    })
}
