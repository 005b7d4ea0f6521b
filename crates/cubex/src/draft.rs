//! Definitions while they are being read: in the order of the text and with the file's own numbers,
//! until all of them are known and can be renamed to dense ids. Ids are ranks: a file with the
//! dense numbers that Cube writes keeps them, one with gaps is closed up.

use std::collections::HashMap;

use crate::attributes::Attributes;
use crate::error::{Error, Result};
use crate::ids::{CallPathId, GroupId, Id, LocationId, MetricId, NodeId, RegionId, Tree};
use crate::metric::Metric;
use crate::report::{CallPath, Region, Report, Titles};
use crate::severity::{Severity, Stored};
use crate::system::{Location, LocationGroup, Place, System, SystemNode, Topology};

/// One kind of definition.
pub(crate) struct Kind<I, T> {
    tree: Tree<I, T>,
    file_ids: Vec<u64>,
}

impl<I, T> Default for Kind<I, T> {
    fn default() -> Self {
        Self { tree: Tree::default(), file_ids: Vec::new() }
    }
}

impl<I: Id, T> Kind<I, T> {
    /// Adds a definition below the one with index `parent` and returns its own index.
    pub(crate) fn push(&mut self, file_id: u64, parent: Option<usize>, item: T) -> usize {
        self.file_ids.push(file_id);
        self.tree.push(parent.map(I::from_index), item).index()
    }

    /// The definition with this index.
    pub(crate) fn item(&mut self, index: usize) -> &mut T {
        &mut self.tree[I::from_index(index)]
    }

    /// The final id of each definition, by index, and by the file's number.
    fn ids(&self, what: &str) -> Result<Ids> {
        let mut order: Vec<usize> = (0..self.file_ids.len()).collect();
        order.sort_by_key(|&index| self.file_ids[index]);
        let mut ids = Ids { by_index: vec![0; order.len()], by_file_id: HashMap::new() };
        for (id, &index) in order.iter().enumerate() {
            ids.by_index[index] = id;
            let file_id = self.file_ids[index];
            if ids.by_file_id.insert(file_id, id).is_some() {
                let place = format!("anchor.xml, {what} {file_id}");
                return Err(Error::malformed(place, "one definition", "two"));
            }
        }
        Ok(ids)
    }
}

struct Ids {
    by_index: Vec<usize>,
    by_file_id: HashMap<u64, usize>,
}

/// A coordinate as read: kind and number of what sits there, and where.
type RawCoordinate = (&'static str, u64, Vec<i64>);

/// Everything read so far.
#[derive(Default)]
pub(crate) struct Draft {
    pub(crate) attributes: Attributes,
    pub(crate) mirrors: Vec<String>,
    pub(crate) metrics: Kind<MetricId, Metric>,
    pub(crate) regions: Kind<RegionId, Region>,
    pub(crate) call_paths: Kind<CallPathId, CallPath>,
    /// The file's number of each call path's region.
    pub(crate) callees: Vec<u64>,
    pub(crate) nodes: Kind<NodeId, SystemNode>,
    pub(crate) groups: Kind<GroupId, LocationGroup>,
    /// The index of each group's node.
    pub(crate) group_nodes: Vec<usize>,
    pub(crate) locations: Kind<LocationId, Location>,
    /// The index of each location's group.
    pub(crate) location_groups: Vec<usize>,
    pub(crate) topologies: Vec<(Topology, Vec<RawCoordinate>)>,
    pub(crate) titles: Titles,
    /// The values, where they stand between the definitions (Cube 3).
    pub(crate) severity: Severity,
}

impl Draft {
    /// Adds a coordinate to the current topology.
    pub(crate) fn coordinate(&mut self, kind: &'static str, id: u64, position: Vec<i64>) {
        if let Some((_, coordinates)) = self.topologies.last_mut() {
            coordinates.push((kind, id, position));
        }
    }

    /// Renames everything to dense ids. The second part is there where the text has values.
    pub(crate) fn finish(mut self) -> Result<(Report, Option<Stored>)> {
        let metrics = self.metrics.ids("metric")?;
        let regions = self.regions.ids("region")?;
        let call_paths = self.call_paths.ids("cnode")?;
        for (index, callee) in self.callees.iter().enumerate() {
            let Some(&region) = regions.by_file_id.get(callee) else {
                let place = format!("anchor.xml, cnode {}", self.call_paths.file_ids[index]);
                let found = format!("calleeId {callee}");
                return Err(Error::malformed(place, "the id of a region", found));
            };
            self.call_paths.item(index).region = RegionId::from_index(region);
        }
        for (_, region) in self.regions.tree.iter_mut() {
            if region.mangled_name == region.name {
                region.mangled_name.clear();
            }
        }
        let nodes = self.nodes.ids("systemtreenode")?;
        let groups = self.groups.ids("locationgroup")?;
        let locations = self.locations.ids("location")?;
        for (index, &node) in self.group_nodes.iter().enumerate() {
            self.groups.item(index).node = NodeId::from_index(nodes.by_index[node]);
        }
        for (index, &group) in self.location_groups.iter().enumerate() {
            self.locations.item(index).group = GroupId::from_index(groups.by_index[group]);
        }
        let topologies = resolve(self.topologies, &locations, &groups, &nodes);
        let mut metric_tree = self.metrics.tree.renumbered(&metrics.by_index);
        let severity = std::mem::take(&mut self.severity);
        let stored = (!severity.is_empty()).then(|| {
            let (metric_ids, call_path_ids) = (&metrics.by_file_id, &call_paths.by_file_id);
            let count = self.location_groups.len();
            severity.resolve(&mut metric_tree, metric_ids, call_path_ids, count)
        });
        let report = Report {
            attributes: self.attributes,
            titles: self.titles,
            mirrors: self.mirrors,
            metrics: metric_tree,
            regions: self.regions.tree.renumbered(&regions.by_index).into_table(),
            call_paths: self.call_paths.tree.renumbered(&call_paths.by_index),
            system: System {
                nodes: self.nodes.tree.renumbered(&nodes.by_index),
                groups: self.groups.tree.renumbered(&groups.by_index),
                locations: self.locations.tree.renumbered(&locations.by_index).into_table(),
            },
            topologies,
        };
        Ok((report, stored.transpose()?))
    }
}

/// Turns the file's numbers in coordinates into ids. Coordinates of nothing that is defined are
/// dropped: they cannot be shown, and a topology is no reason to refuse a report.
fn resolve(
    topologies: Vec<(Topology, Vec<RawCoordinate>)>,
    locations: &Ids,
    groups: &Ids,
    nodes: &Ids,
) -> Vec<Topology> {
    let place = |kind: &str, id: u64| -> Option<Place> {
        Some(match kind {
            "location" => Place::Location(Id::from_index(*locations.by_file_id.get(&id)?)),
            "group" => Place::Group(Id::from_index(*groups.by_file_id.get(&id)?)),
            _ => Place::Node(Id::from_index(*nodes.by_file_id.get(&id)?)),
        })
    };
    let resolved = |(mut topology, coordinates): (Topology, Vec<RawCoordinate>)| {
        topology.coordinates = coordinates
            .into_iter()
            .filter_map(|(kind, id, position)| Some((place(kind, id)?, position)))
            .collect();
        topology
    };
    topologies.into_iter().map(resolved).collect()
}
