//! The system tree: machines and nodes, below them location groups (processes), below them
//! locations (threads), the only level that carries values; and cartesian arrangements of them.

use crate::attributes::Attributes;
use crate::ids::{GroupId, LocationId, NodeId, Table, Tree};

/// Where the program ran.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct System {
    /// Machines, racks, nodes, sockets.
    pub nodes: Tree<NodeId, SystemNode>,
    /// Processes and accelerator contexts. A nested group repeats the node of its parent.
    pub groups: Tree<GroupId, LocationGroup>,
    /// Threads. Their ids are the columns of every row of values.
    pub locations: Table<LocationId, Location>,
}

/// A part of the machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SystemNode {
    /// Its name.
    pub name: String,
    /// What it is: `machine`, `node`, ...
    pub class: String,
    /// A sentence about it; empty if there is none.
    pub description: String,
    /// Further facts.
    pub attributes: Attributes,
}

/// A process, or what contains locations in its place.
#[derive(Clone, Debug, PartialEq)]
pub struct LocationGroup {
    /// The node it ran on.
    pub node: NodeId,
    /// Its name.
    pub name: String,
    /// Its number among the groups, for instance the MPI rank.
    pub rank: i64,
    /// What it is: `process`, `metrics`, `accelerator`.
    pub kind: String,
    /// Further facts.
    pub attributes: Attributes,
}

impl LocationGroup {
    /// A process on `node`.
    pub fn process(node: NodeId, name: impl Into<String>, rank: i64) -> Self {
        Self { node, name: name.into(), rank, kind: "process".into(), attributes: Vec::new() }
    }
}

/// A thread, or what executes in its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Location {
    /// The process it belongs to.
    pub group: GroupId,
    /// Its name.
    pub name: String,
    /// Its number in the group.
    pub rank: i64,
    /// What it is: `thread`, `gpu`, `metric`.
    pub kind: String,
    /// Further facts.
    pub attributes: Attributes,
}

impl Location {
    /// A thread of `group`.
    pub fn thread(group: GroupId, name: impl Into<String>, rank: i64) -> Self {
        Self { group, name: name.into(), rank, kind: "thread".into(), attributes: Vec::new() }
    }
}

/// A cartesian arrangement of parts of the system.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Topology {
    /// Its name; empty if it has none.
    pub name: String,
    /// Its dimensions, slowest first.
    pub dimensions: Vec<Dimension>,
    /// Where the parts are: one number per dimension.
    pub coordinates: Vec<(Place, Vec<i64>)>,
}

/// One dimension of a topology.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dimension {
    /// Its name; empty if it has none.
    pub name: String,
    /// The number of positions.
    pub size: u64,
    /// True if the last position is a neighbour of the first.
    pub periodic: bool,
}

/// What sits at a coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A thread.
    Location(LocationId),
    /// A process.
    Group(GroupId),
    /// A machine or node.
    Node(NodeId),
}
