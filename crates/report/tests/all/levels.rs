//! The levels by which the timeline colours (Figure 1 of the POMP paper) know every construct.

use pompeii_model::{Paradigm, Role};

/// Those that no level colours: what is inside of them is seen instead.
const WITHOUT_COLOUR: [Role; 2] = [Role::Teams, Role::Taskgroup];

#[test]
fn each_construct_has_a_colour_in_a_level() {
    let script = include_str!("../../web/time/levels.js");
    let is_openmp = |role: &&Role| !role.names().is_empty() || **role == Role::Lock;
    for role in Role::ALL.iter().filter(is_openmp) {
        let is_named = script.contains(&format!("\"{}\"", role.as_str()));
        assert_ne!(is_named, WITHOUT_COLOUR.contains(role), "{role:?} in web/time/levels.js");
    }
    assert!(script.contains(&format!("\"{}\"", Paradigm::User.as_str())));
}
