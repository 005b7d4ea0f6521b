//! What the analysis of a trace comes to: call paths in their final order, with times and visits by
//! location.

use std::collections::BTreeMap;

use pompeii_model::{CallId, CallTree, IndexVec, LocationId, Root};

use crate::blame::classes::{self, Classes, KindClasses};
use crate::blame::{At, Delay, Kind};
use crate::compound::Compound;
use crate::counter::levels::Amounts;
use crate::counter::{Amount, CounterId};
use crate::definitions::Definitions;
use crate::engine::process::Gaps;
use crate::engine::summary::Summary;
use crate::engine::tree::{NodeId, PROGRAM, Values};
use crate::hash::Table;
use crate::path::Part;
use crate::within::Within;

/// Time that a location's own events do not have: of a worker between the end of its part and the
/// join of its master.
#[derive(Debug, Default)]
pub struct Joins {
    ticks: Table<(NodeId, LocationId), i64>,
}

impl Joins {
    /// Takes the time out of a part of a parallel region.
    pub fn note(&mut self, compound: &Compound) {
        let Compound::Part(part) = compound else { return };
        let ticks = part.joined.saturating_sub(part.ended).cast_signed();
        if ticks != 0 {
            self.add((part.at.node, part.at.location), ticks);
        }
    }

    /// Adds time at a place.
    pub(crate) fn add(&mut self, place: (NodeId, LocationId), ticks: i64) {
        let sum = self.ticks.entry(place).or_default();
        *sum = sum.saturating_add(ticks);
    }

    /// Takes all of it.
    pub(crate) fn take(&mut self) -> Vec<((NodeId, LocationId), i64)> {
        self.ticks.drain().collect()
    }
}

/// What is found only if it is wanted: the critical path, and the causes of waiting.
#[derive(Debug, Default)]
pub struct Causes {
    /// Times of the path.
    pub path: Table<Part, i64>,
    /// Delays by the call paths of waiting and their causes.
    pub roots: Table<(At, Part), Delay>,
    /// Classes of waiting by its places.
    pub classes: Table<(At, LocationId), Classes>,
}

/// How long others waited in one way because of a call path and location.
pub type KindDelay = (Kind, CallId, LocationId, Delay);

/// The values of a call path on a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The call path.
    pub call: CallId,
    /// The location.
    pub location: LocationId,
    /// Its values.
    pub values: Values,
}

/// The result.
#[derive(Debug)]
pub struct Outcome {
    /// Definitions of the trace.
    pub definitions: Definitions,
    /// All call paths; children are in the order of their first visits.
    pub calls: CallTree,
    /// The call path of each node that compounds name.
    call_of: Vec<CallId>,
    /// The numbers of the nodes on the first rank; `None` if this is the first one.
    pub(crate) on_first_rank: Option<Vec<NodeId>>,
    /// Values that are not 0, by call path, then location.
    pub entries: Vec<Entry>,
    /// Problems of the trace.
    pub gaps: Gaps,
    /// Forks of a kind that has no teams: nothing is known about the barriers of their regions.
    pub forks_without_team: u64,
    /// The first error while reading each location's events, with its file.
    pub errors: Vec<String>,
    /// The critical path: time by call path and location; empty if it was not wanted.
    pub critical_path: Vec<(CallId, LocationId, i64)>,
    /// How long others waited because of each call path and location; empty if not wanted.
    pub delays: Vec<(CallId, LocationId, Delay)>,
    /// The same by the kind of waiting.
    pub delays_by_kind: Vec<KindDelay>,
    /// How long each call path waited on each location, by class; empty if not wanted.
    pub wait_classes: Vec<KindClasses>,
    /// The same by the call paths at which was waited.
    pub roots: Vec<Root>,
    /// What counters counted: their sums by call path and location, in the order of the counters.
    pub counted: Vec<(CounterId, CallId, LocationId, Amount)>,
    /// Instances that were not complete when the trace ended.
    pub incomplete: u64,
}

impl Outcome {
    /// Puts the parts together.
    pub(crate) fn new(
        definitions: Definitions,
        (calls, call_of): (CallTree, Vec<CallId>),
        locations: &[Summary],
        (joins, incomplete): (&Joins, u64),
        (causes, amounts): (&Causes, &Amounts),
    ) -> Outcome {
        let mut by_place: Table<(NodeId, LocationId), Values> = Table::default();
        let mut gaps = Gaps::default();
        let forks_without_team = locations.iter().map(|it| it.forks_without_team).sum();
        for of in locations {
            gaps.add(&of.gaps);
            by_place.extend(of.values.iter().map(|&(node, it)| ((node, of.location), it)));
        }
        for (place, ticks) in &joins.ticks {
            let values = by_place.entry(*place).or_default();
            values.ticks = values.ticks.saturating_add(*ticks);
        }
        let entry = |((node, location), values): ((NodeId, LocationId), Values)| Entry {
            call: call_of[node.0 as usize],
            location,
            values,
        };
        let mut entries: Vec<Entry> = by_place.into_iter().map(entry).collect();
        entries.sort_by_key(|entry| (entry.call, entry.location));
        let on_path = causes.path.iter().filter(|(_, ticks)| **ticks != 0);
        let mut critical_path: Vec<(CallId, LocationId, i64)> = on_path
            .map(|(&(node, location), &ticks)| (call_of[node.0 as usize], location, ticks))
            .collect();
        critical_path.sort_unstable();
        let roots = roots(&causes.roots, &call_of);
        let delays = delays(&roots);
        let delays_by_kind = kinds(&causes.roots, &call_of);
        let wait_classes = classes::sums(&causes.classes, &call_of);
        let counted = amounts.iter().map(|(&(counter, node, location), &amount)| {
            (counter, call_of[node.0 as usize], location, amount)
        });
        let mut counted: Vec<_> = counted.collect();
        counted.sort_unstable_by_key(|(counter, call, location, _)| (*counter, *call, *location));
        Outcome {
            errors: locations.iter().filter_map(|it| it.first_error.clone()).collect(),
            definitions,
            calls,
            call_of,
            on_first_rank: None,
            entries,
            gaps,
            forks_without_team,
            critical_path,
            delays,
            delays_by_kind,
            wait_classes,
            roots,
            counted,
            incomplete,
        }
    }

    /// Adds values of further call paths.
    pub(crate) fn add_entries(&mut self, more: Vec<Entry>) {
        self.entries.extend(more);
        self.entries.sort_by_key(|entry| (entry.call, entry.location));
    }

    /// The result of an analysis of a part of the time that has found times and visits only: those
    /// of `entries`, which are sorted by call path, then location.
    pub fn of_times(
        mut definitions: Definitions,
        (calls, entries): (CallTree, Vec<Entry>),
        within: Within,
    ) -> Outcome {
        within.narrow(&mut definitions);
        Outcome {
            definitions,
            calls,
            call_of: Vec::new(),
            on_first_rank: None,
            entries,
            gaps: Gaps::default(),
            forks_without_team: 0,
            errors: Vec::new(),
            critical_path: Vec::new(),
            delays: Vec::new(),
            delays_by_kind: Vec::new(),
            wait_classes: Vec::new(),
            roots: Vec::new(),
            counted: Vec::new(),
            incomplete: 0,
        }
    }

    /// The number of a node on the first rank of the analysis.
    pub fn on_first_rank(&self, node: NodeId) -> NodeId {
        match &self.on_first_rank {
            Some(numbers) => numbers.get(node.0 as usize).copied().unwrap_or(PROGRAM),
            None => node,
        }
    }

    /// Notes problems between the ranks of the analysis.
    pub fn note_errors(&mut self, errors: Vec<String>) {
        self.gaps.errors += errors.len() as u64;
        self.errors.extend(errors);
    }

    /// The call path of a node.
    pub fn call(&self, node: NodeId) -> CallId {
        self.call_of.get(node.0 as usize).copied().unwrap_or(CallId(0))
    }

    /// The names of the regions of a call path, from the root.
    pub fn path(&self, call: CallId) -> String {
        let names = self
            .calls
            .ancestors(call)
            .map(|call| self.definitions.regions[self.calls.region(call)].name.as_str());
        let mut names: Vec<&str> = names.collect();
        names.reverse();
        names.join("/")
    }

    /// The values of a call path by location.
    pub fn row(&self, call: CallId) -> IndexVec<LocationId, Values> {
        let width = self.definitions.system.locations.len();
        let mut row: IndexVec<LocationId, Values> = (0..width).map(|_| Values::default()).collect();
        let begin = self.entries.partition_point(|entry| entry.call < call);
        for entry in self.entries[begin..].iter().take_while(|entry| entry.call == call) {
            row[entry.location] = entry.values;
        }
        row
    }

    /// Number of locations.
    pub fn locations(&self) -> usize {
        self.definitions.system.locations.len()
    }
}

/// The causes of waiting, in an order that does not depend on the numbers of nodes.
fn roots(found: &Table<(At, Part), Delay>, call_of: &[CallId]) -> Vec<Root> {
    let call = |node: NodeId| call_of[node.0 as usize];
    let mut sums: BTreeMap<(CallId, (CallId, LocationId)), Delay> = BTreeMap::new();
    for (&((at, _), (by, location)), delay) in found {
        *sums.entry((call(at), (call(by), location))).or_default() += *delay;
    }
    sums.retain(|_, delay| *delay != Delay::default());
    let root = |((call, by), Delay { direct, indirect })| Root {
        call,
        by,
        direct_ticks: direct,
        indirect_ticks: indirect,
    };
    sums.into_iter().map(root).collect()
}

/// How long others waited because of each call path and location, by the kind of waiting.
fn kinds(found: &Table<(At, Part), Delay>, call_of: &[CallId]) -> Vec<KindDelay> {
    let mut sums: BTreeMap<(Kind, CallId, LocationId), Delay> = BTreeMap::new();
    for (&((_, kind), (by, location)), delay) in found {
        *sums.entry((kind, call_of[by.0 as usize], location)).or_default() += *delay;
    }
    sums.retain(|_, delay| *delay != Delay::default());
    sums.into_iter().map(|((kind, by, on), delay)| (kind, by, on, delay)).collect()
}

/// How long others waited because of each call path and location.
fn delays(roots: &[Root]) -> Vec<(CallId, LocationId, Delay)> {
    let mut delays: BTreeMap<(CallId, LocationId), Delay> = BTreeMap::new();
    for root in roots {
        let delay = Delay { direct: root.direct_ticks, indirect: root.indirect_ticks };
        *delays.entry(root.by).or_default() += delay;
    }
    let all = delays.into_iter().filter(|(_, delay)| *delay != Delay::default());
    all.map(|((call, location), delay)| (call, location, delay)).collect()
}
