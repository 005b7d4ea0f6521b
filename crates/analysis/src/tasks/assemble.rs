//! Puts together what compounds and tables say about tasks: by construct and by parallel region,
//! with the names that people know.

use std::collections::BTreeMap;

use pompeii_model::{CallId, Distribution, Frequency, LocationId, RegionId};
use pompeii_replay::Outcome;
use pompeii_replay::engine::tree::NodeId;
use pompeii_replay::hash::Table;

use super::dependences::are_recorded;
use super::found::{Found, Instances, Region};
use super::rows::Rows;
use super::simulated::Simulations;
use super::{Construct, Creators, Moment, Named, TaskAnalysis, TaskRegion};
use crate::findings::task_group::CREATORS_SHARE;

/// Puts them together.
pub(super) fn assemble(
    (found, rows): (&Found, &Rows),
    simulations: Option<&Simulations>,
    outcome: &Outcome,
) -> TaskAnalysis {
    let parts = Parts { found, rows, simulations, outcome };
    let definitions = &outcome.definitions;
    let clock = Frequency::new(definitions.ticks_per_second as f64);
    let wall_ticks = definitions.end.saturating_sub(definitions.begin);
    TaskAnalysis {
        program: definitions.program.clone(),
        clock: clock.unwrap_or(Frequency::NANOSECONDS),
        wall_ticks: i64::try_from(wall_ticks).unwrap_or(i64::MAX),
        locations: outcome.locations(),
        critical_ticks: outcome.critical_path.iter().map(|(.., ticks)| ticks).sum(),
        constructs: parts.constructs(),
        regions: parts.regions(),
        over_time: parts.over_time(),
        has_dependences: are_recorded(definitions),
        incomplete: outcome.incomplete,
    }
}

/// The entries of a table in the order of their call paths. The numbers of nodes are others in each
/// analysis with several threads.
fn in_order<'a, T>(table: &'a Table<NodeId, T>, outcome: &Outcome) -> Vec<(CallId, NodeId, &'a T)> {
    let entry = |(&node, of): (&NodeId, &'a T)| (outcome.call(node), node, of);
    let mut all: Vec<(CallId, NodeId, &'a T)> = table.iter().map(entry).collect();
    all.sort_by_key(|(call, ..)| *call);
    all
}

struct Parts<'a> {
    found: &'a Found,
    rows: &'a Rows,
    simulations: Option<&'a Simulations>,
    outcome: &'a Outcome,
}

impl Parts<'_> {
    fn region(&self, call: CallId) -> RegionId {
        self.outcome.calls.region(call)
    }

    fn named(&self, region: RegionId) -> Named {
        let region = &self.outcome.definitions.regions[region];
        Named { label: region.label(), file: region.file.clone(), line: region.begin_line }
    }

    /// Whether a call path is one of explicit tasks.
    fn is_in_task(&self, call: CallId) -> bool {
        self.region(self.outcome.calls.root(call)) == self.outcome.definitions.tasks_region
    }

    fn thread(&self, location: LocationId) -> String {
        self.outcome.definitions.system.thread_name(location)
    }

    /// All task constructs, the one with the most work first.
    fn constructs(&self) -> Vec<Construct> {
        let mut all: BTreeMap<RegionId, Construct> = BTreeMap::new();
        for (call, _, of) in in_order(&self.found.constructs, self.outcome) {
            let region = self.region(call);
            let construct = all.entry(region).or_insert_with(|| Construct::new(self.named(region)));
            self.add_instances(construct, of);
        }
        for (_, node, of) in in_order(&self.rows.creations, self.outcome) {
            let created = self.found.created.get(&node).map(|&node| self.outcome.call(node));
            let Some(construct) = created.and_then(|call| all.get_mut(&self.region(call))) else {
                continue;
            };
            construct.creation.join(&of.times);
            construct.at_once += of.at_once;
        }
        for &(call, _, ticks) in &self.outcome.critical_path {
            let calls = &self.outcome.calls;
            let construct = all.get_mut(&self.region(calls.below_root(call)));
            if let Some(construct) = construct.filter(|_| self.is_in_task(call)) {
                construct.critical_ticks += ticks;
            }
        }
        let mut all: Vec<(RegionId, Construct)> = all.into_iter().collect();
        all.sort_by_key(|(region, of)| (-of.execution.moments.sum, *region));
        all.into_iter().map(|(_, construct)| construct).collect()
    }

    fn add_instances(&self, to: &mut Construct, of: &Instances) {
        to.ready.join(&of.ready);
        to.execution.join(&of.execution);
        to.fragments += of.fragments;
        for (&location, number) in &of.creators {
            let thread = self.thread(location);
            match to.creators.iter_mut().find(|(known, _)| *known == thread) {
                Some((_, sum)) => *sum += number,
                None => to.creators.push((thread, *number)),
            }
        }
        to.creators.sort_by_key(|(_, number)| std::cmp::Reverse(*number));
    }

    /// All parallel regions with tasks, the one with the most allocated time first.
    fn regions(&self) -> Vec<TaskRegion> {
        let simulated = |node: NodeId| self.simulations?.regions.get(&node).cloned();
        let region = |(call, node, of): (CallId, NodeId, &Region)| TaskRegion {
            at: self.named(self.region(call)),
            call_path: self.outcome.path(call),
            sums: of.sums.clone(),
            done: of.done,
            execution: of.execution,
            longest: of.longest,
            without_task: of.without_task,
            creation: self.creation(of),
            creators: self.creators(of),
            simulated: simulated(node),
        };
        let mut all: Vec<TaskRegion> =
            in_order(&self.found.regions, self.outcome).into_iter().map(region).collect();
        all.sort_by_key(|region| -region.sums.allocation);
        all
    }

    /// Creating the tasks of a region.
    fn creation(&self, region: &Region) -> Distribution {
        let mut all = Distribution::default();
        for node in region.creations.keys() {
            if let Some(creations) = self.rows.creations.get(node) {
                all.join(&creations.times);
            }
        }
        all
    }

    /// How many tasks of a region other explicit tasks created. Any thread may execute those, so
    /// which threads were the creators is the luck of this run.
    fn created_in_tasks(&self, region: &Region) -> u64 {
        let creations = region.creations.iter();
        let in_tasks = creations.filter(|(node, _)| self.is_in_task(self.outcome.call(**node)));
        in_tasks.map(|(_, number)| number).sum()
    }

    /// The few threads that create nearly all tasks of a region, if they are few. Tasks that tasks
    /// create have no such threads.
    fn creators(&self, region: &Region) -> Option<Creators> {
        let mut creators: Vec<(LocationId, u64)> =
            region.creators.iter().map(|(&location, &number)| (location, number)).collect();
        creators.sort_by_key(|&(location, number)| (std::cmp::Reverse(number), location));
        let all: u64 = creators.iter().map(|(_, number)| number).sum();
        if all == 0 || self.created_in_tasks(region) as f64 > (1.0 - CREATORS_SHARE) * all as f64 {
            return None;
        }
        let (mut few, mut created) = (Vec::new(), 0);
        for (location, number) in creators {
            if created as f64 >= CREATORS_SHARE * all as f64 {
                break;
            }
            few.push(location);
            created += number;
        }
        let mut periods = Distribution::default();
        let of_node = |node: &NodeId| self.rows.creations.get(node);
        let creations = region.creations.keys().filter_map(of_node);
        creations.for_each(|of| periods.join(&of.periods));
        let is_known = region.done > 0 && periods.moments.sum > 0;
        (is_known && few.len() <= region.sums.threads / 2).then(|| Creators {
            threads: few.iter().map(|location| self.thread(*location)).collect(),
            created,
            of: all,
            period: periods.moments.mean(),
            execution: region.execution as f64 / region.done as f64,
        })
    }

    fn over_time(&self) -> Vec<Moment> {
        let (found, rows) = (self.found, self.rows);
        let means = [&found.ready, &rows.running, &found.idle, &rows.creating].map(|it| it.means());
        let moment = |(part, begin): (usize, i64)| {
            let [ready, running, idle, creating] = [0, 1, 2, 3].map(|of: usize| means[of][part]);
            Moment { begin, ready, running, idle, creating }
        };
        found.ready.begins().enumerate().map(moment).collect()
    }
}
