//! Keeps a part of the system only: some processes, some threads of each.

use pompeii_cubex::{
    Error, GroupId, Id, LocationId, NodeId, Place, Report, Result, System, Table, Topology, Tree,
};

use crate::cut::of_one;
use crate::outcome::Outcome;
use crate::rows::Rows;
use crate::select::Ranges;

/// What to keep.
#[derive(Clone, Debug, Default)]
pub struct PartOptions {
    /// Ranks of processes; `None` for all.
    pub processes: Option<Ranges>,
    /// Ranks of locations in their process; `None` for all.
    pub threads: Option<Ranges>,
    /// True to keep the rest instead.
    pub invert: bool,
}

/// The report of the chosen locations alone. Processes and parts of the machine that have no
/// location left are gone, and their coordinates.
///
/// # Errors
/// Nothing is left.
pub fn part<'a>(rows: &'a dyn Rows, options: &PartOptions) -> Result<Outcome<'a>> {
    let report = rows.report();
    let chosen = |id: LocationId| {
        let location = &report.system.locations[id];
        let process = report.system.groups[location.group].rank;
        let fits = |ranges: &Option<Ranges>, rank| ranges.as_ref().is_none_or(|r| r.contains(rank));
        let inside = fits(&options.processes, process) && fits(&options.threads, location.rank);
        inside != options.invert
    };
    let kept: Vec<bool> = report.locations().map(chosen).collect();
    if !kept.contains(&true) {
        return Err(Error::Misuse {
            what: "part of the system".into(),
            expected: "ranks of processes and threads of which there is at least one".into(),
            found: "no location that is left".into(),
        });
    }
    let mut result = report.clone();
    let columns = keep(&mut result, &kept);
    let mut outcome = of_one(rows, result);
    outcome.operands[0].columns = columns;
    Ok(outcome)
}

/// Leaves the locations of `kept` in the system and what contains them. Returns where each location
/// is now.
pub(crate) fn keep(report: &mut Report, kept: &[bool]) -> Vec<Option<LocationId>> {
    let old = std::mem::take(&mut report.system);
    let mut groups_used = vec![false; old.groups.len()];
    let mut nodes_used = vec![false; old.nodes.len()];
    for (id, location) in old.locations.iter().filter(|(id, _)| kept[id.index()]) {
        debug_assert!(kept[id.index()]);
        let mut group = Some(location.group);
        while let Some(id) = group {
            groups_used[id.index()] = true;
            let mut node = Some(old.groups[id].node);
            while let Some(id) = node {
                nodes_used[id.index()] = true;
                node = old.nodes.parent(id);
            }
            group = old.groups.parent(id);
        }
    }
    let (nodes, new_nodes) = filtered(&old.nodes, &nodes_used);
    let (mut groups, new_groups) = filtered(&old.groups, &groups_used);
    for id in groups.ids() {
        let node = groups[id].node;
        groups[id].node = new_nodes[node.index()].unwrap_or(NodeId(0));
    }
    let mut locations = Table::default();
    let mut columns = vec![None; old.locations.len()];
    for (id, location) in old.locations.iter().filter(|(id, _)| kept[id.index()]) {
        let mut location = location.clone();
        location.group = new_groups[location.group.index()].unwrap_or(GroupId(0));
        columns[id.index()] = Some(locations.push(location));
    }
    report.system = System { nodes, groups, locations };
    for topology in &mut report.topologies {
        move_coordinates(topology, &columns, &new_groups, &new_nodes);
    }
    columns
}

/// The tree of those that are `used`; ancestors of used ones are used.
fn filtered<I: Id, T: Clone>(tree: &Tree<I, T>, used: &[bool]) -> (Tree<I, T>, Vec<Option<I>>) {
    let mut kept = Tree::default();
    let mut new: Vec<Option<I>> = vec![None; tree.len()];
    for id in tree.preorder().into_iter().filter(|id| used[id.index()]) {
        let parent = tree.parent(id).and_then(|parent| new[parent.index()]);
        new[id.index()] = Some(kept.push(parent, tree[id].clone()));
    }
    (kept, new)
}

fn move_coordinates(
    topology: &mut Topology,
    locations: &[Option<LocationId>],
    groups: &[Option<GroupId>],
    nodes: &[Option<NodeId>],
) {
    let moved = |place: Place| {
        Some(match place {
            Place::Location(id) => Place::Location(locations[id.index()]?),
            Place::Group(id) => Place::Group(groups[id.index()]?),
            Place::Node(id) => Place::Node(nodes[id.index()]?),
        })
    };
    let old = std::mem::take(&mut topology.coordinates);
    let keep = |(place, position)| Some((moved(place)?, position));
    topology.coordinates = old.into_iter().filter_map(keep).collect();
}
