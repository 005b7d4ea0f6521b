//! The system dimension. Two runs of a program have the same metrics and call paths, but not always
//! the same number of processes and threads; then values of single locations cannot be compared.

use std::collections::HashMap;

use pompeii_cubex::{
    GroupId, Id, Location, LocationGroup, LocationId, NodeId, Report, System, SystemNode, Table,
    Tree,
};

/// What becomes of the locations of several reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum SystemMode {
    /// Where all reports have the same processes and threads, these. Else one location per process,
    /// if there are as many processes, else one in all.
    #[default]
    Auto,
    /// One location in all.
    Collapse,
    /// All locations of all reports: the same are those of the same rank in a process of the same
    /// rank.
    Union,
}

/// The locations of each process, in order.
fn shape(report: &Report) -> Vec<(GroupId, Vec<LocationId>)> {
    let mut groups: Vec<(GroupId, Vec<LocationId>)> =
        report.system.groups.ids().map(|id| (id, Vec::new())).collect();
    for (id, location) in report.system.locations.iter() {
        groups[location.group.index()].1.push(id);
    }
    groups.retain(|(_, locations)| !locations.is_empty());
    groups
}

/// Gives `report` the system of all `reports`; returns where the locations of each are.
pub(super) fn unify(
    reports: &[&Report],
    mode: SystemMode,
    report: &mut Report,
    notes: &mut Vec<String>,
) -> Vec<Vec<LocationId>> {
    let shapes: Vec<_> = reports.iter().map(|report| shape(report)).collect();
    let counts = |shape: &Vec<(GroupId, Vec<LocationId>)>| -> Vec<usize> {
        shape.iter().map(|(_, locations)| locations.len()).collect()
    };
    let same = shapes.windows(2).all(|pair| counts(&pair[0]) == counts(&pair[1]));
    let processes_same = shapes.windows(2).all(|pair| pair[0].len() == pair[1].len());
    match mode {
        SystemMode::Union => union(reports, report),
        SystemMode::Auto if same => by_position(reports, &shapes),
        SystemMode::Auto if processes_same => {
            notes.push("the numbers of threads differ: values are summed up per process".into());
            drop_topologies(report, notes);
            per_process(reports, &shapes, report)
        }
        SystemMode::Auto | SystemMode::Collapse => {
            if mode == SystemMode::Auto {
                notes.push("the numbers of processes differ: values are summed up".into());
            }
            drop_topologies(report, notes);
            one(report);
            reports.iter().map(|r| vec![LocationId(0); r.system.locations.len()]).collect()
        }
    }
}

fn drop_topologies(report: &mut Report, notes: &mut Vec<String>) {
    if !report.topologies.is_empty() {
        notes.push("topologies are left out: their locations are summed up".into());
        report.topologies.clear();
    }
}

/// The n-th thread of the n-th process of each report is the same.
fn by_position(
    reports: &[&Report],
    shapes: &[Vec<(GroupId, Vec<LocationId>)>],
) -> Vec<Vec<LocationId>> {
    let Some(first) = shapes.first() else { return Vec::new() };
    let mut found = Vec::new();
    for (report, shape) in reports.iter().zip(shapes) {
        let mut targets = vec![LocationId(0); report.system.locations.len()];
        for ((_, own), (_, target)) in shape.iter().zip(first) {
            for (own, target) in own.iter().zip(target) {
                targets[own.index()] = *target;
            }
        }
        found.push(targets);
    }
    found
}

/// One location per process of the first report.
fn per_process(
    reports: &[&Report],
    shapes: &[Vec<(GroupId, Vec<LocationId>)>],
    report: &mut Report,
) -> Vec<Vec<LocationId>> {
    report.system.locations = Table::default();
    for (group, _) in shapes.first().into_iter().flatten() {
        let name = report.system.groups[*group].name.clone();
        report.system.locations.push(Location::thread(*group, name, 0));
    }
    let mut found = Vec::new();
    for (operand, shape) in reports.iter().zip(shapes) {
        let mut targets = vec![LocationId(0); operand.system.locations.len()];
        for (process, (_, locations)) in shape.iter().enumerate() {
            locations.iter().for_each(|id| targets[id.index()] = LocationId::from_index(process));
        }
        found.push(targets);
    }
    found
}

/// A system of one location.
fn one(report: &mut Report) {
    let mut system = System::default();
    let node = SystemNode {
        name: "all machines".into(),
        class: "machine".into(),
        ..SystemNode::default()
    };
    let node = system.nodes.push(None, node);
    let group = system.groups.push(None, LocationGroup::process(node, "all processes", 0));
    system.locations.push(Location::thread(group, "all threads", 0));
    report.system = system;
}

/// What a process is known by: kind, rank, and which one of those with the same.
type GroupKey = (String, i64, usize);

fn union(reports: &[&Report], report: &mut Report) -> Vec<Vec<LocationId>> {
    let mut groups: HashMap<GroupKey, GroupId> = HashMap::new();
    let mut locations: HashMap<(GroupId, String, i64, usize), LocationId> = HashMap::new();
    let mut found = Vec::new();
    for (index, operand) in reports.iter().enumerate() {
        let mut nodes = HashMap::new();
        let mut own_groups = vec![GroupId(0); operand.system.groups.len()];
        let mut seen: HashMap<(String, i64), usize> = HashMap::new();
        for id in operand.system.groups.preorder() {
            let group = &operand.system.groups[id];
            let count = seen.entry((group.kind.clone(), group.rank)).or_default();
            let key = (group.kind.clone(), group.rank, *count);
            *count += 1;
            let target = *groups.entry(key).or_insert_with(|| {
                if index == 0 {
                    return id;
                }
                let parent = operand.system.groups.parent(id).map(|id| own_groups[id.index()]);
                let node = self::node(&mut report.system.nodes, operand, group.node, &mut nodes);
                report.system.groups.push(parent, LocationGroup { node, ..group.clone() })
            });
            own_groups[id.index()] = target;
        }
        let mut seen: HashMap<(GroupId, String, i64), usize> = HashMap::new();
        let mut targets = Vec::new();
        for (id, location) in operand.system.locations.iter() {
            let group = own_groups[location.group.index()];
            let count = seen.entry((group, location.kind.clone(), location.rank)).or_default();
            let key = (group, location.kind.clone(), location.rank, *count);
            *count += 1;
            targets.push(*locations.entry(key).or_insert_with(|| {
                if index == 0 {
                    return id;
                }
                report.system.locations.push(Location { group, ..location.clone() })
            }));
        }
        found.push(targets);
    }
    found
}

/// The node of `operand` in the unified tree: the same names and classes from the root on, or new.
fn node(
    nodes: &mut Tree<NodeId, SystemNode>,
    operand: &Report,
    id: NodeId,
    known: &mut HashMap<NodeId, NodeId>,
) -> NodeId {
    let mut path = vec![id];
    while let Some(parent) = path.last().and_then(|&id| operand.system.nodes.parent(id)) {
        path.push(parent);
    }
    let mut target: Option<NodeId> = None;
    for id in path.into_iter().rev() {
        let own = &operand.system.nodes[id];
        let siblings = target.map_or_else(|| nodes.roots(), |id| nodes.children(id));
        let same = |&&id: &&NodeId| nodes[id].name == own.name && nodes[id].class == own.class;
        let found = known.get(&id).copied().or_else(|| siblings.iter().find(same).copied());
        target = Some(match found {
            Some(found) => found,
            None => nodes.push(target, own.clone()),
        });
        known.extend(target.map(|target| (id, target)));
    }
    target.unwrap_or(NodeId(0))
}
