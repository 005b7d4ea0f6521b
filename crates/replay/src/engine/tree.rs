//! The call tree that all locations share, and each location's part of it.
//!
//! A location has nodes of its own ([`LocalTree`]), because a number in its own table is found
//! without a lock. Only the first visit of a call path on a location takes the lock of the
//! [`SharedTree`]. The shared nodes are numbered in the order of their discovery, which differs
//! between runs with several threads. Therefore no number of a shared node may reach the output:
//! [`SharedTree::canonical`] numbers the call paths by their first visits.

use std::sync::{Mutex, PoisonError};

use pompeii_model::{CallId, CallTree, LocationId, RegionId};

use crate::engine::record::What;
use crate::hash::Table;

/// A node of the shared tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// The root of the program's call paths.
pub const PROGRAM: NodeId = NodeId(0);

/// The root of the call paths of tasks.
pub const TASKS: NodeId = NodeId(1);

/// The call tree of all locations.
#[derive(Debug)]
pub struct SharedTree {
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    nodes: Vec<TreeNode>,
    children: Table<(NodeId, RegionId), NodeId>,
}

/// A node with the numbers of its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TreeNode {
    pub(crate) region: RegionId,
    /// A root's parent is itself.
    pub(crate) parent: NodeId,
    /// Time and location of the first visit.
    pub(crate) first: (u64, LocationId),
}

/// The final call tree.
#[derive(Debug)]
pub struct Canonical {
    /// The call paths.
    pub calls: CallTree,
    /// The call path of each node.
    pub call_of: Vec<CallId>,
    /// The first call path that stands for a node; the others follow it.
    pub first: Table<NodeId, CallId>,
}

/// The regions that stand for that of a node, and whether the node stays next to them.
pub type StandIns<'a> = &'a dyn Fn(NodeId) -> (Vec<RegionId>, bool);

impl SharedTree {
    /// A tree with both roots.
    pub fn new(program: RegionId, tasks: RegionId) -> SharedTree {
        let root = |region, parent| TreeNode { region, parent, first: (0, LocationId(0)) };
        let nodes = vec![root(program, PROGRAM), root(tasks, TASKS)];
        SharedTree { inner: Mutex::new(Inner { nodes, children: Table::default() }) }
    }

    /// The call path `parent` + `region`, visited by a location at a time.
    pub(crate) fn child(
        &self,
        parent: NodeId,
        region: RegionId,
        visit: (u64, LocationId),
    ) -> NodeId {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let next = NodeId(inner.nodes.len() as u32);
        let node = *inner.children.entry((parent, region)).or_insert(next);
        if node == next {
            inner.nodes.push(TreeNode { region, parent, first: visit });
        }
        let first = &mut inner.nodes[node.0 as usize].first;
        *first = visit.min(*first);
        node
    }

    /// Number of the nodes that each tree has from the begin.
    pub(crate) const ROOTS: usize = 2;

    /// The nodes from this number on; parents come before their children.
    pub(crate) fn nodes(&self, from: usize) -> Vec<TreeNode> {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.nodes.get(from..).unwrap_or_default().to_vec()
    }

    /// The region of a node.
    pub fn region(&self, node: NodeId) -> RegionId {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.nodes[node.0 as usize].region
    }

    /// The call path around the one of a node; a root's is itself.
    pub fn parent(&self, node: NodeId) -> NodeId {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.nodes[node.0 as usize].parent
    }

    /// The call tree of the model, and the call path of each node. Children are in the order of
    /// (time of the first visit, location, region), which depends on the trace alone. The root of
    /// tasks is there if it has children, or values (`has_task_values`). Other regions may stand
    /// for the one of a node, and it may stay next to them; of these call paths the first one
    /// counts as that of the node if it does not stay.
    pub fn canonical(&self, has_task_values: bool, stand_ins: StandIns<'_>) -> Canonical {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let mut children: Vec<Vec<NodeId>> = vec![Vec::new(); inner.nodes.len()];
        for (number, node) in inner.nodes.iter().enumerate().skip(2) {
            children[node.parent.0 as usize].push(NodeId(number as u32));
        }
        for list in &mut children {
            list.sort_by_key(|child| {
                let node = &inner.nodes[child.0 as usize];
                (node.first, node.region)
            });
        }
        let has_tasks = has_task_values || !children[TASKS.0 as usize].is_empty();
        let mut calls = CallTree::default();
        let mut call_of = vec![CallId(0); inner.nodes.len()];
        let mut first = Table::default();
        for root in [PROGRAM, TASKS].into_iter().take(1 + usize::from(has_tasks)) {
            let mut open = vec![root];
            while let Some(node) = open.pop() {
                let TreeNode { region, parent, .. } = inner.nodes[node.0 as usize];
                if node == root {
                    call_of[node.0 as usize] = calls.add_root(region);
                } else {
                    let parent = call_of[parent.0 as usize];
                    let (others, stays) = stand_ins(node);
                    for region in others {
                        let call = calls.add_child(parent, region);
                        call_of[node.0 as usize] = *first.entry(node).or_insert(call);
                    }
                    if stays || !children[node.0 as usize].is_empty() {
                        call_of[node.0 as usize] = calls.add_child(parent, region);
                    }
                }
                open.extend(children[node.0 as usize].iter().rev());
            }
        }
        Canonical { calls, call_of, first }
    }
}

/// A node in the table of a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Local(u32);

/// What a location has counted at a call path. Times are in ticks and exclusive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Values {
    /// Time.
    pub ticks: i64,
    /// Enters.
    pub visits: u64,
    /// Of a task below a scheduling point: time of the fragments that were executed there.
    pub task_ticks: i64,
    /// The number of these fragments.
    pub fragments: u64,
    /// Data of MPI.
    pub moved: Moved,
}

/// Messages and bytes that MPI has moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// Messages sent.
    pub sends: u64,
    /// Messages received.
    pub receives: u64,
    /// Bytes of the messages sent.
    pub bytes_sent: u64,
    /// Bytes of the messages received.
    pub bytes_received: u64,
    /// Bytes that the process sent in collective operations.
    pub collective_out: u64,
    /// Bytes that it received in them.
    pub collective_in: u64,
}

impl Moved {
    /// Adds the data of a record. Lengths of a damaged trace may be any numbers.
    pub fn add(&mut self, what: &What) {
        let more = |sum: &mut u64, number: u64| *sum = sum.saturating_add(number);
        match what {
            What::Send(message) | What::Isend(message) => {
                self.sends += 1;
                more(&mut self.bytes_sent, message.bytes);
            }
            What::Recv(message) | What::Irecv(message) => {
                self.receives += 1;
                more(&mut self.bytes_received, message.bytes);
            }
            What::CollectiveEnd(end) | What::Icollective { end, .. } => {
                more(&mut self.collective_out, end.sent);
                more(&mut self.collective_in, end.received);
            }
            _ => {}
        }
    }
}

/// The call paths that one location has visited, with their values.
#[derive(Debug)]
pub struct LocalTree {
    location: LocationId,
    nodes: Vec<LocalNode>,
    /// Children of nodes with many of them.
    many: Table<(Local, RegionId), Local>,
    known: Table<NodeId, Local>,
    /// Nodes with time since the last sync record, if that is wanted.
    recent: Option<Vec<Local>>,
}

#[derive(Debug)]
struct LocalNode {
    shared: NodeId,
    region: RegionId,
    /// The call path around it; a root's is itself.
    parent: Local,
    /// Number of call paths around it.
    depth: u32,
    values: Values,
    /// Time since the last sync record.
    recent_ticks: i64,
    /// The child that was visited last: mostly it is visited again.
    last: Option<(RegionId, Local)>,
    children: Vec<(RegionId, Local)>,
}

/// A node with more children than this has them in a table.
const FEW: usize = 12;

impl LocalTree {
    /// The tree of a location; it has both roots.
    pub fn new(location: LocationId, (program, tasks): (RegionId, RegionId)) -> LocalTree {
        let mut tree = LocalTree {
            location,
            nodes: Vec::new(),
            many: Table::default(),
            known: Table::default(),
            recent: None,
        };
        tree.add((PROGRAM, program), LocalTree::PROGRAM);
        tree.add((TASKS, tasks), LocalTree::TASKS);
        tree
    }

    /// The root of the program's call paths.
    pub const PROGRAM: Local = Local(0);

    /// The root of the call paths of tasks.
    pub const TASKS: Local = Local(1);

    fn add(&mut self, (shared, region): (NodeId, RegionId), parent: Local) -> Local {
        let local = Local(self.nodes.len() as u32);
        let depth = if parent == local { 0 } else { self.nodes[parent.0 as usize].depth + 1 };
        let (values, last, children) = (Values::default(), None, Vec::new());
        let recent_ticks = 0;
        self.nodes.push(LocalNode {
            shared,
            region,
            parent,
            depth,
            values,
            recent_ticks,
            last,
            children,
        });
        self.known.insert(shared, local);
        local
    }

    /// The call path of a node of the shared tree.
    pub fn import(&mut self, tree: &SharedTree, shared: NodeId) -> Local {
        let mut missing = Vec::new();
        let mut next = shared;
        // The roots are known from the begin.
        let mut local = loop {
            match self.known.get(&next) {
                Some(&known) => break known,
                None => missing.push(next),
            }
            next = tree.parent(next);
        };
        while let Some(next) = missing.pop() {
            local = self.add((next, tree.region(next)), local);
        }
        local
    }

    /// The innermost call path that contains both. The roots contain nothing of each other: of the
    /// program and a task it is that of the program, which waits for the task or executes it.
    pub fn common(&self, one: Local, other: Local) -> Local {
        let at = |node: Local| &self.nodes[node.0 as usize];
        let (mut above, mut above_other) = (one, other);
        while above != above_other {
            let (depth, other_depth) = (at(above).depth, at(above_other).depth);
            if (depth, other_depth) == (0, 0) {
                return if above == LocalTree::PROGRAM { one } else { other };
            }
            if depth >= other_depth {
                above = at(above).parent;
            }
            if other_depth >= depth {
                above_other = at(above_other).parent;
            }
        }
        above
    }

    /// The call path around a node.
    pub fn parent(&mut self, tree: &SharedTree, node: Local) -> Local {
        self.import(tree, tree.parent(self.shared(node)))
    }

    /// The call path `parent` + `region`, visited at `time`.
    #[inline]
    pub fn child(
        &mut self,
        tree: &SharedTree,
        (parent, region): (Local, RegionId),
        time: u64,
    ) -> Local {
        match self.nodes[parent.0 as usize].last {
            Some((last, child)) if last == region => child,
            _ => self.other_child(tree, (parent, region), time),
        }
    }

    fn other_child(
        &mut self,
        tree: &SharedTree,
        (parent, region): (Local, RegionId),
        time: u64,
    ) -> Local {
        let node = &self.nodes[parent.0 as usize];
        let found = match node.children.len() > FEW {
            true => self.many.get(&(parent, region)).copied(),
            false => node.children.iter().find(|(of, _)| *of == region).map(|(_, child)| *child),
        };
        let child = found.unwrap_or_else(|| self.new_child(tree, (parent, region), time));
        self.nodes[parent.0 as usize].last = Some((region, child));
        child
    }

    #[cold]
    fn new_child(
        &mut self,
        tree: &SharedTree,
        (parent, region): (Local, RegionId),
        time: u64,
    ) -> Local {
        let above = self.nodes[parent.0 as usize].shared;
        let shared = tree.child(above, region, (time, self.location));
        // It may be here already: as the path of a fork that this location has taken part in.
        let child = self.known.get(&shared).copied();
        let child = child.unwrap_or_else(|| self.add((shared, region), parent));
        let children = &mut self.nodes[parent.0 as usize].children;
        children.push((region, child));
        let first_in_table = if children.len() == FEW + 1 { 0 } else { children.len() - 1 };
        if children.len() > FEW {
            let moved = &children[first_in_table..];
            self.many.extend(moved.iter().map(|&(region, child)| ((parent, region), child)));
        }
        child
    }

    /// The node in the shared tree.
    #[inline]
    pub fn shared(&self, node: Local) -> NodeId {
        self.nodes[node.0 as usize].shared
    }

    /// The region of a node.
    #[inline]
    pub fn region(&self, node: Local) -> RegionId {
        self.nodes[node.0 as usize].region
    }

    /// The values of a node, to be changed.
    #[inline]
    pub fn values(&mut self, node: Local) -> &mut Values {
        &mut self.nodes[node.0 as usize].values
    }

    /// Whether the root of tasks itself has values.
    pub fn has_task_values(&self) -> bool {
        self.nodes[LocalTree::TASKS.0 as usize].values != Values::default()
    }

    /// From now on, keeps the times between sync records.
    pub fn keep_profiles(&mut self) {
        self.recent = Some(Vec::new());
    }

    /// Adds time to a node.
    #[inline]
    pub fn add_ticks(&mut self, node: Local, ticks: i64) {
        let at = &mut self.nodes[node.0 as usize];
        // The last event may be long before the end of the measurement, whatever a file says.
        at.values.ticks = at.values.ticks.saturating_add(ticks);
        if let Some(recent) = &mut self.recent {
            if at.recent_ticks == 0 {
                recent.push(node);
            }
            at.recent_ticks = at.recent_ticks.saturating_add(ticks);
        }
    }

    /// Moves the times since the last sync record to the end of `profile`.
    #[inline]
    pub fn take_profile(&mut self, profile: &mut Vec<(NodeId, i64)>) {
        let Some(recent) = &mut self.recent else { return };
        for node in recent.drain(..) {
            let at = &mut self.nodes[node.0 as usize];
            let ticks = std::mem::take(&mut at.recent_ticks);
            if ticks != 0 {
                profile.push((at.shared, ticks));
            }
        }
    }

    /// All nodes that have values.
    pub fn all(&self) -> impl Iterator<Item = (NodeId, Values)> + '_ {
        let all = self.nodes.iter().map(|node| (node.shared, node.values));
        all.filter(|(_, values)| *values != Values::default())
    }
}
