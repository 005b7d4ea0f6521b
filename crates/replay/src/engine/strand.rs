//! The call stack of a task: of the implicit task of a thread in a team, or of an explicit task.

use crate::engine::record::VisitId;
use crate::engine::tree::{Local, LocalTree, NodeId};

/// An open region. `N` is a call path: in the table of a location, or in the shared tree.
#[derive(Clone, Copy, Debug)]
pub struct Frame<N = Local> {
    /// The call path of the region.
    pub node: N,
    /// The call path outside of the region.
    pub outer: N,
    /// When it was entered.
    pub since: u64,
    /// Which visit it is.
    pub visit: VisitId,
}

/// The open regions of a task.
#[derive(Debug)]
pub struct Strand {
    /// From the outside in.
    pub frames: Vec<Frame>,
    /// The current call path; `None` outside of all teams on a worker, where time is idle time.
    pub node: Option<Local>,
    /// The first visit; that of an explicit task is the visit of its construct.
    pub first: VisitId,
}

impl Strand {
    /// A call stack without open regions.
    pub fn at(node: Option<Local>) -> Strand {
        Strand { frames: Vec::new(), node, first: VisitId::NONE }
    }
}

/// The call stack of a task on its way to another location.
#[derive(Debug)]
pub struct Moved {
    /// From the outside in.
    pub frames: Vec<Frame<NodeId>>,
    /// The current call path: below the innermost region there may be values of parameters.
    pub node: Option<NodeId>,
    /// The first visit.
    pub first: VisitId,
}

impl Moved {
    /// The call stack of a task that was suspended on a location.
    pub fn new(strand: &Strand, tree: &LocalTree) -> Moved {
        let frame = |frame: &Frame| Frame {
            node: tree.shared(frame.node),
            outer: tree.shared(frame.outer),
            since: frame.since,
            visit: frame.visit,
        };
        let node = strand.node.map(|node| tree.shared(node));
        let frames = strand.frames.iter().map(frame).collect();
        Moved { frames, node, first: strand.first }
    }
}
