//! Who waited for whom: a node's list of causes becomes [`Wait`]s between call paths.

use std::collections::{BTreeMap, HashMap};

use pompeii_live::{Key, Node};
use pompeii_model::{CallId, Cube, LocationId, Paradigm, Role, Wait};

use crate::severities::Place;

/// Where somebody waited, who, and for what.
type Relation = (CallId, LocationId, Option<(CallId, LocationId)>);

/// The waits of all locations of a process, in the order of call paths.
pub fn of(cube: &Cube, place: &Place) -> Vec<Wait> {
    let live = place.live;
    let place_of: HashMap<u32, usize> =
        live.locations.iter().enumerate().map(|(at, location)| (location.index, at)).collect();
    // Several nodes of a location may be one call path: its waits are one then.
    let mut found: BTreeMap<Relation, Wait> = BTreeMap::new();
    for (position, location) in live.locations.iter().enumerate() {
        for node in &location.nodes {
            let Key::Cause { location: by, node: at } = Key::decode(node.key) else { continue };
            let call_of = |at: usize, node: u32| place.calls_of[at].get(node as usize).copied();
            let by = place_of.get(&by).and_then(|&by| Some((call_of(by, at)?, place.location(by))));
            let Some(call) = call_of(position, node.parent) else { continue };
            if by.is_none() && follows_serial_part(cube, call) {
                continue;
            }
            let key = (call, place.location(position), by);
            add(found.entry(key).or_insert_with(|| empty(key)), node);
        }
    }
    found.into_values().collect()
}

/// Whether the call path has a list of what preceded serial parts instead of what it waited for.
/// Parts that have no entry there are not told apart, as all of a program without such lists.
fn follows_serial_part(cube: &Cube, call: CallId) -> bool {
    let region = &cube.regions[cube.calls.region(call)];
    region.role == Role::Parallel || region.paradigm == Paradigm::Mpi
}

fn empty((call, location, by): Relation) -> Wait {
    Wait { call, location, by, visits: 0, wait_ticks: 0, starvation_ticks: 0 }
}

/// Numbers of a damaged file may be anything.
fn add(wait: &mut Wait, node: &Node) {
    wait.visits = wait.visits.saturating_add_unsigned(node.visits);
    wait.wait_ticks = wait.wait_ticks.saturating_add_unsigned(node.wait_ticks);
    wait.starvation_ticks = wait.starvation_ticks.saturating_add_unsigned(node.starvation_ticks);
}
