//! How long and where single task instances were executed, if this is wanted
//! ([`Options::task_instances`]).
//!
//! A program may have millions of tasks. Therefore a construct keeps a limited number of instances:
//! the first ones of each creating thread. The others are counted together. Each location keeps as
//! many as the whole trace may have, so the result does not depend on threads, windows and ranks.
//!
//! [`Options::task_instances`]: crate::Options::task_instances

use std::collections::BTreeMap;

use pompeii_model::{LocationId, RegionId};

use crate::engine::record::TaskId;
use crate::engine::tree::NodeId;
use crate::transport::wire::wire_struct;

/// A task instance, by the number that its creator gave it. Teams and processes may use the same
/// numbers; such instances share an entry, as call paths of several processes do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instance {
    number: u32,
    /// Number of the creator in its team.
    thread: u32,
}

impl Instance {
    /// The instance of a task.
    pub fn of(task: TaskId) -> Instance {
        Instance { number: task.generation, thread: task.thread }
    }

    /// Its name, as Schmidl et al. (2012), section 4, give it.
    fn name(self) -> String {
        format!("task_{}_{}", self.thread, self.number)
    }
}

/// What a location has executed of tasks below a scheduling point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Executed {
    /// Time of the fragments, in ticks.
    pub ticks: i64,
    /// Number of the fragments.
    pub fragments: u64,
}

impl Executed {
    /// Adds the same of other fragments.
    pub fn add(&mut self, more: Executed) {
        self.ticks = self.ticks.saturating_add(more.ticks);
        self.fragments = self.fragments.saturating_add(more.fragments);
    }
}

/// What was executed, by the node of the construct below the scheduling point, and location.
pub type Places = BTreeMap<(NodeId, LocationId), Executed>;

/// Where an instance was executed, or all instances of a construct that are not kept.
#[derive(Debug, Default)]
struct Executions {
    /// How many instances began.
    begun: u64,
    at: Places,
}

impl Executions {
    fn add(&mut self, place: (NodeId, LocationId), more: Executed) {
        self.at.entry(place).or_default().add(more);
    }

    fn join(&mut self, other: Executions) {
        self.begun = self.begun.saturating_add(other.begun);
        other.at.into_iter().for_each(|(place, more)| self.add(place, more));
    }
}

/// The instances of a construct.
#[derive(Debug, Default)]
struct Construct {
    kept: BTreeMap<Instance, Executions>,
    rest: Executions,
}

impl Construct {
    /// Where an instance is counted. An instance that had to leave never comes back, because all
    /// that are kept come before it.
    fn of(&mut self, instance: Instance, most: usize) -> &mut Executions {
        let is_full = self.kept.len() >= most && !self.kept.contains_key(&instance);
        match self.kept.last_entry().filter(|_| is_full) {
            Some(last) if *last.key() > instance => self.rest.join(last.remove()),
            _ if is_full => return &mut self.rest,
            _ => {}
        }
        self.kept.entry(instance).or_default()
    }
}

/// The instances of all constructs.
#[derive(Debug)]
pub struct Instances {
    /// Most instances of a construct that are kept.
    most: usize,
    constructs: BTreeMap<RegionId, Construct>,
}

/// What a location knows of an instance, as it travels; `None` stands for those not kept.
#[derive(Debug)]
pub struct Row {
    construct: RegionId,
    instance: Option<Instance>,
    begun: u64,
    at: Vec<(NodeId, Executed)>,
}

wire_struct! {
    Instance { number, thread }
    Executed { ticks, fragments }
    Row { construct, instance, begun, at }
}

impl Row {
    /// Replaces the numbers of nodes.
    pub(crate) fn renumber(&mut self, number: &dyn Fn(NodeId) -> NodeId) {
        self.at.iter_mut().for_each(|(node, _)| *node = number(*node));
    }
}

impl Instances {
    /// None yet. A construct keeps at most `most` of them.
    pub fn new(most: usize) -> Instances {
        Instances { most, constructs: BTreeMap::new() }
    }

    fn of(&mut self, construct: RegionId, instance: Option<Instance>) -> &mut Executions {
        let of_construct = self.constructs.entry(construct).or_default();
        match instance {
            Some(instance) => of_construct.of(instance, self.most),
            None => &mut of_construct.rest,
        }
    }

    /// An instance begins.
    pub fn begin(&mut self, construct: RegionId, instance: Instance) {
        self.of(construct, Some(instance)).begun += 1;
    }

    /// A part of an instance was executed at a place below its scheduling point.
    pub fn add(
        &mut self,
        (construct, instance): (RegionId, Instance),
        place: (NodeId, LocationId),
        more: Executed,
    ) {
        self.of(construct, Some(instance)).add(place, more);
    }

    /// Those of one location.
    pub fn rows(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        for (&construct, of) in &self.constructs {
            let kept = of.kept.iter().map(|(instance, of)| (Some(*instance), of));
            for (instance, executions) in kept.chain([(None, &of.rest)]) {
                let at = executions.at.iter().map(|(&(node, _), &executed)| (node, executed));
                let begun = executions.begun;
                rows.push(Row { construct, instance, begun, at: at.collect() });
            }
        }
        rows
    }

    /// Adds what a location knows of them.
    pub(crate) fn join(&mut self, location: LocationId, rows: Vec<Row>) {
        for Row { construct, instance, begun, at } in rows {
            let at = at.into_iter().map(|(node, executed)| ((node, location), executed));
            self.of(construct, instance).join(Executions { begun, at: at.collect() });
        }
    }

    /// Their names by construct, each with where it was executed, in the order in which they are
    /// shown. The last one of a construct stands for the instances that were not kept.
    pub(crate) fn named(self) -> impl Iterator<Item = (RegionId, String, Places)> {
        self.constructs.into_iter().flat_map(|(construct, Construct { kept, rest })| {
            let mut kept: Vec<_> = kept.into_iter().collect();
            kept.sort_by_key(|(instance, _)| (instance.thread, instance.number));
            let kept = kept.into_iter().map(|(instance, of)| (instance.name(), of.at));
            let others = (format!("further tasks: {}", rest.begun), rest.at);
            let all = kept.chain([others]).filter(|(_, places)| !places.is_empty());
            all.map(move |(name, places)| (construct, name, places))
        })
    }
}
