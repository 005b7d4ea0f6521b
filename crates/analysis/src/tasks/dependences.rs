//! Whether a trace has the dependences between its tasks. Without them, a span may be too short.

use pompeii_model::{Region, Role};
use pompeii_replay::definitions::Definitions;
pub use pompeii_replay::task::compound::Dependences;

/// Whether the records of tasks have the items of their `depend` clauses, if there are such
/// clauses. Only Pompeii writes them.
pub fn are_recorded(definitions: &Definitions) -> bool {
    match definitions.depend.is_empty() {
        true => definitions.tells_off && !has_depend(definitions),
        false => true,
    }
}

/// Whether the program has task constructs with a `depend` clause.
pub fn has_depend(definitions: &Definitions) -> bool {
    definitions.regions.iter().any(has_clause)
}

fn has_clause(region: &Region) -> bool {
    let is_task = matches!(region.role, Role::Task | Role::TaskCreate);
    let clauses = region.written_clauses().to_ascii_lowercase();
    is_task && clauses.split(' ').any(|word| word.starts_with("depend("))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependences_are_known_unless_clauses_have_no_items() {
        let known = |clauses: &str, file: &str, has_items| {
            let mut definitions = Definitions::new("program");
            definitions.tells_off = true;
            if has_items {
                definitions.depend.add(1, "depend(in) 1");
            }
            let mut region = Region::artificial("task");
            region.role = Role::Task;
            (region.clauses, region.file) = (clauses.to_owned(), file.to_owned());
            definitions.add_region(0, region);
            are_recorded(&definitions)
        };
        assert!(known("untied", "a.c", false));
        assert!(!known("depend(in:x)", "a.c", false));
        assert!(known("depend(in:x)", "a.c", true));
        assert!(!known("DEPEND(in:x)", "a.F90", false));
        assert!(known("DEPEND(in:x)", "a.F90", true));
        assert!(known("untied", "a.f90", true));
        assert!(!are_recorded(&Definitions::new("of another tool")));
    }
}
