//! What the ranks of an analysis know of each other. A rank reads the events of its own locations,
//! with a call tree of its own, so nodes get the numbers of the rank that they are sent to. When
//! all is read, the first rank puts the results of all ranks together.

use pompeii_model::{CallId, CallTree, LocationId, RegionId};

use crate::blame::classes::Classes;
use crate::blame::{At, Delay};
use crate::counter::levels::Amounts;
use crate::counter::{Amount, CounterId};
use crate::engine::front::Front;
use crate::engine::matching::Matching;
use crate::engine::summary::Summary;
use crate::engine::tree::{NodeId, PROGRAM, SharedTree, TASKS, TreeNode};
use crate::outcome::{Causes, Joins, Outcome};
use crate::path::Part;
use crate::transport::Transport;
use crate::transport::wire::{self, wire_struct};

/// What it sends when it has read all events.
#[derive(Debug)]
struct Rest {
    /// All call paths: other locations may have visited them earlier meanwhile.
    nodes: Vec<TreeNode>,
    summaries: Vec<Summary>,
    /// What its matchers have found.
    joins: Vec<((NodeId, LocationId), i64)>,
    amounts: Vec<((CounterId, NodeId), (LocationId, Amount))>,
    incomplete: u64,
    path: Vec<(Part, i64)>,
    roots: Vec<((At, Part), Delay)>,
    classes: Vec<((At, LocationId), Classes)>,
}

/// What a rank has found when all events are read and matched.
#[derive(Debug)]
pub(crate) struct Whole {
    pub(crate) summaries: Vec<Summary>,
    pub(crate) joins: Joins,
    pub(crate) amounts: Amounts,
    pub(crate) incomplete: u64,
    pub(crate) causes: Causes,
}

impl Whole {
    /// All records are matched. Returns the records that are still kept, too.
    pub(crate) fn of(matching: Matching<'_>) -> (Whole, Option<Front>) {
        let (joins, incomplete, amounts, front) = matching.end();
        let (summaries, causes) = (Vec::new(), Causes::default());
        (Whole { summaries, joins, amounts, incomplete, causes }, front)
    }

    /// As it travels; nothing is left.
    fn rest(&mut self, tree: &SharedTree) -> Rest {
        let amounts = std::mem::take(&mut self.amounts).into_iter();
        let amounts = amounts.map(|((id, node, on), amount)| ((id, node), (on, amount)));
        Rest {
            nodes: tree.nodes(SharedTree::ROOTS),
            summaries: std::mem::take(&mut self.summaries),
            joins: self.joins.take(),
            amounts: amounts.collect(),
            incomplete: std::mem::take(&mut self.incomplete),
            path: self.causes.path.drain().collect(),
            roots: self.causes.roots.drain().collect(),
            classes: self.causes.classes.drain().collect(),
        }
    }

    /// Adds that of another rank.
    fn add(&mut self, rest: Rest, number: &dyn Fn(NodeId) -> NodeId) {
        self.summaries.extend(rest.summaries.into_iter().map(|mut summary| {
            summary.renumber(number);
            summary
        }));
        let joins = rest.joins.into_iter();
        joins.for_each(|((node, on), ticks)| self.joins.add((number(node), on), ticks));
        for ((id, node), (on, amount)) in rest.amounts {
            let sum = self.amounts.entry((id, number(node), on));
            sum.and_modify(|sum| *sum = sum.plus(amount)).or_insert(amount);
        }
        self.incomplete += rest.incomplete;
        let Causes { path, roots, classes } = &mut self.causes;
        let part = |(node, on): Part| (number(node), on);
        let at = |(node, kind): At| (number(node), kind);
        for (of, ticks) in rest.path {
            let sum = path.entry(part(of)).or_default();
            *sum = sum.saturating_add(ticks);
        }
        for ((of, by), delay) in rest.roots {
            *roots.entry((at(of), part(by))).or_default() += delay;
        }
        for ((of, on), more) in rest.classes {
            *classes.entry((at(of), on)).or_default() += more;
        }
    }
}

wire_struct! {
    TreeNode { parent, region, first }
    Rest { nodes, summaries, joins, amounts, incomplete, path, roots, classes }
}

/// What this rank knows of the others.
#[derive(Debug)]
pub(crate) struct Ranks {
    /// Call paths of this rank that the first one knows.
    sent: usize,
    /// On the first rank: for each rank the number of each of its nodes here.
    numbers: Vec<Vec<NodeId>>,
    /// On another rank: the number of each of its nodes on the first one.
    on_first: Option<Vec<NodeId>>,
    /// What could not be understood.
    errors: Vec<String>,
}

impl Ranks {
    /// Before the first window.
    pub(crate) fn new(ranks: usize) -> Ranks {
        let numbers = vec![vec![PROGRAM, TASKS]; ranks];
        Ranks { sent: SharedTree::ROOTS, numbers, on_first: None, errors: Vec::new() }
    }

    /// Call paths that the other ranks do not know.
    pub(crate) fn new_nodes(&mut self, tree: &SharedTree) -> Vec<TreeNode> {
        let nodes = tree.nodes(self.sent);
        self.sent += nodes.len();
        nodes
    }

    /// Notes if a message of another rank could not be understood.
    pub(crate) fn understand<V>(&mut self, rank: usize, message: Option<V>) -> Option<V> {
        if message.is_none() {
            let error = format!("rank {rank} of the analysis: a message was not understood");
            self.errors.push(error);
        }
        message
    }

    /// Gives the call paths of another rank numbers in the tree of this one.
    pub(crate) fn define(&mut self, rank: usize, tree: &SharedTree, nodes: &[TreeNode]) {
        let numbers = &mut self.numbers[rank];
        for node in nodes {
            // A parent comes before its children.
            let parent = numbers.get(node.parent.0 as usize).copied().unwrap_or(PROGRAM);
            numbers.push(tree.child(parent, node.region, node.first));
        }
    }

    pub(crate) fn number(&self, rank: usize) -> impl Fn(NodeId) -> NodeId + '_ {
        let numbers = &self.numbers[rank];
        move |node| numbers.get(node.0 as usize).copied().unwrap_or(PROGRAM)
    }

    /// All events have been read. On the first rank the results of all ranks are there afterwards,
    /// in the order of the locations.
    pub(crate) fn collect<T: Transport>(
        &mut self,
        transport: &mut T,
        tree: &SharedTree,
        whole: &mut Whole,
    ) -> Result<(), T::Error> {
        let mut own = Vec::new();
        if transport.rank() > 0 {
            own = wire::bytes(&whole.rest(tree));
        }
        for (rank, bytes) in transport.gather(own)?.into_iter().enumerate().skip(1) {
            if let Some(rest) = self.understand(rank, wire::value::<Rest>(&bytes)) {
                self.numbers[rank].truncate(SharedTree::ROOTS);
                self.define(rank, tree, &rest.nodes);
                whole.add(rest, &self.number(rank));
            }
        }
        whole.summaries.sort_by_key(|summary| summary.location);
        Ok(())
    }

    /// The first rank tells the others the final call paths, and which of them their nodes are.
    /// They keep the numbers that their nodes have on the first rank.
    pub(crate) fn tell_calls<T: Transport>(
        &mut self,
        transport: &mut T,
        (calls, call_of): (CallTree, Vec<CallId>),
    ) -> Result<(CallTree, Vec<CallId>), T::Error> {
        let own = transport.rank();
        let tell = |rank: usize| {
            if own > 0 || rank == 0 {
                return Vec::new();
            }
            let numbers = self.numbers[rank].iter();
            let of_rank = numbers.map(|node| call_of[node.0 as usize]).collect::<Vec<CallId>>();
            wire::bytes(&(paths(&calls), (of_rank, self.numbers[rank].clone())))
        };
        let told = transport.exchange((0..transport.ranks()).map(tell).collect())?;
        Ok(match told.first().filter(|_| own > 0) {
            Some(bytes) => {
                let (paths, (call_of, numbers)) = wire::value::<Told>(bytes).unwrap_or_default();
                self.on_first = Some(numbers);
                (tree_of(&paths), call_of)
            }
            None => (calls, call_of),
        })
    }

    /// Adds what is known of the other ranks.
    pub(crate) fn complete(self, outcome: &mut Outcome) {
        outcome.on_first_rank = self.on_first;
        outcome.note_errors(self.errors);
    }
}

/// The parent and the region of each call path.
type Paths = Vec<(Option<CallId>, RegionId)>;

/// All call paths; those of the nodes of a rank, and the numbers of these on the first one.
type Told = (Paths, (Vec<CallId>, Vec<NodeId>));

fn paths(calls: &CallTree) -> Paths {
    calls.ids().map(|call| (calls.parent(call), calls.region(call))).collect()
}

fn tree_of(paths: &Paths) -> CallTree {
    let mut calls = CallTree::default();
    for &(parent, region) in paths {
        // A parent comes before its children.
        match parent.filter(|parent| (parent.0 as usize) < calls.len()) {
            Some(parent) => calls.add_child(parent, region),
            None => calls.add_root(region),
        };
    }
    calls
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use crate::compound::Compound;
    use crate::engine::options::Options;
    use crate::engine::window::{Sinks, replay_on};
    use crate::text;

    /// The second of two ranks, from which nothing but noise comes.
    struct Noise;

    impl Transport for Noise {
        type Error = Infallible;

        fn ranks(&self) -> usize {
            2
        }

        fn rank(&self) -> usize {
            0
        }

        fn exchange(&mut self, bytes: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, Infallible> {
            let own = bytes.into_iter().next().unwrap();
            Ok(vec![own, vec![0xff; 3]])
        }

        fn min(&mut self, value: u64) -> Result<u64, Infallible> {
            Ok(value)
        }
    }

    fn nowhere(found: &mut (dyn FnMut(Compound) + Send)) -> Sinks<'_> {
        Sinks { found, tables: None, scenarios: None }
    }

    #[test]
    fn noise_of_another_rank_is_counted_and_the_own_part_is_analysed() {
        let trace = text::parse("end 9\n1 0.0 program\n2 0.0 + main\n5 0.0 -\n1 1.0 + main");
        let part = trace.unwrap().part(2, 0);
        let Ok(outcome) = replay_on(&mut Noise, part, Options::default(), nowhere(&mut |_| {}));
        assert_eq!(outcome.path(CallId(1)), "program/main");
        let ticks: Vec<i64> = outcome.row(CallId(1)).iter().map(|values| values.ticks).collect();
        assert_eq!(ticks, [3, 0]);
        assert!(outcome.errors[0].contains("rank 1 of the analysis"), "{:?}", outcome.errors);
        assert_eq!(outcome.gaps.errors, outcome.errors.len() as u64);
    }

    #[test]
    fn another_rank_has_the_call_paths_of_all() {
        let trace = text::parse("end 9\n1 0.0 + late\n1 1.0 + main\n3 1.0 + inner").unwrap();
        let paths = crate::transport::channels::Channels::run(2, &|mut rank| {
            let part = trace.part(2, rank.rank());
            let outcome =
                replay_on(&mut rank, part, Options::default(), nowhere(&mut |_| {})).unwrap();
            outcome.calls.ids().map(|call| outcome.path(call)).collect::<Vec<String>>()
        });
        let all = ["program", "program/late", "program/main", "program/main/inner"];
        assert_eq!(paths[0].as_deref().unwrap(), all);
        assert_eq!(paths[1].as_deref().unwrap(), all);
    }
}
