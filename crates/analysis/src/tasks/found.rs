//! What the compounds of a trace say about tasks: their instances by construct, the sums of each
//! parallel region, and for what threads without a task waited.

use std::collections::BTreeMap;

use pompeii_model::{Distribution, LocationId};
use pompeii_replay::Compound;
use pompeii_replay::engine::tree::NodeId;
use pompeii_replay::hash::Table;
use pompeii_replay::task::compound::{Dependences, TaskEvent, TaskVisit, TaskWaitVisit, TeamTasks};

use super::over_time::{OverTime, PARTS, ticks};

/// Numbers of threads for which the duration of a region is bounded.
pub const THREADS: [usize; 10] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/// Task instances of one construct that are done. Times are ticks.
#[derive(Debug, Default)]
pub(super) struct Instances {
    /// From the creation to the begin.
    pub ready: Distribution,
    /// Work of an instance.
    pub execution: Distribution,
    /// How often threads executed a part of one.
    pub fragments: u64,
    /// Who created how many.
    pub creators: BTreeMap<LocationId, u64>,
}

/// Time of threads without a task, by the reason; ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WithoutTask {
    /// Until the task was created that the thread executed next.
    pub creation: i64,
    /// Until the last task was done that its barrier, taskwait or taskgroup waited for, or after
    /// which the next task may begin (`depend` clauses).
    pub end: i64,
    /// In a barrier until the last thread arrived, without any task that could be executed.
    pub arrival: i64,
    /// The rest: a task was ready, or there was nothing to wait for any more.
    pub scheduling: i64,
}

impl WithoutTask {
    /// All of it.
    pub fn all(&self) -> i64 {
        let parts = [self.creation, self.end, self.arrival, self.scheduling];
        parts.into_iter().fold(0, i64::saturating_add)
    }

    fn join(&mut self, other: &WithoutTask) {
        self.creation = self.creation.saturating_add(other.creation);
        self.end = self.end.saturating_add(other.end);
        self.arrival = self.arrival.saturating_add(other.arrival);
        self.scheduling = self.scheduling.saturating_add(other.scheduling);
    }
}

/// All executions of a parallel region with tasks. Times are ticks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// How often it was executed.
    pub executions: u64,
    /// Threads of the largest team.
    pub threads: usize,
    /// Its duration.
    pub ticks: i64,
    /// Its duration times its threads.
    pub allocation: i64,
    /// Explicit tasks, also those that are not done.
    pub tasks: u64,
    /// Dependences between them.
    pub dependences: Dependences,
    /// Time of all threads without waiting: the time on one thread.
    pub work: i64,
    /// The longest chains of work: the time on any number of threads.
    pub span: i64,
    /// No schedule of the tasks takes less, for each number of [`THREADS`].
    pub least: [i64; THREADS.len()],
    /// A schedule in which no thread waits while a task is ready takes at most that, without
    /// creation and scheduling.
    pub most: [i64; THREADS.len()],
    /// The same for the threads that it had.
    pub least_measured: i64,
}

impl Sums {
    fn add(&mut self, team: &TeamTasks) {
        let threads = i64::try_from(team.threads).unwrap_or(i64::MAX);
        self.executions += 1;
        self.threads = self.threads.max(team.threads);
        self.ticks = self.ticks.saturating_add(team.ticks());
        let allocation = team.ticks().saturating_mul(threads);
        self.allocation = self.allocation.saturating_add(allocation);
        self.tasks += team.tasks;
        self.dependences.join(&team.dependences);
        self.work = self.work.saturating_add(team.work);
        self.span = self.span.saturating_add(team.span);
        self.least_measured = self.least_measured.saturating_add(team.least_ticks());
        for (place, threads) in THREADS.into_iter().enumerate() {
            let team = TeamTasks { threads, ..*team };
            self.least[place] = self.least[place].saturating_add(team.least_ticks());
            self.most[place] = self.most[place].saturating_add(team.most_ticks());
        }
    }
}

/// A parallel region with tasks, by the nodes of call paths.
#[derive(Debug, Default)]
pub(super) struct Region {
    pub sums: Sums,
    /// Number and work of the tasks that are done.
    pub done: u64,
    pub execution: i64,
    /// Work of the longest one.
    pub longest: i64,
    /// Who created how many of these.
    pub creators: BTreeMap<LocationId, u64>,
    /// Where how many of these were created.
    pub creations: BTreeMap<NodeId, u64>,
    /// Time of its threads without a task.
    pub without_task: WithoutTask,
}

impl Region {
    fn add(&mut self, visit: &TaskVisit) {
        self.done += 1;
        self.execution = self.execution.saturating_add(visit.work);
        self.longest = self.longest.max(visit.work);
        if let Some((_, by)) = visit.created {
            *self.creators.entry(by.location).or_default() += 1;
            *self.creations.entry(by.node).or_default() += 1;
        }
    }

    fn join(&mut self, other: Region) {
        self.done += other.done;
        self.execution = self.execution.saturating_add(other.execution);
        self.longest = self.longest.max(other.longest);
        self.without_task.join(&other.without_task);
        for (node, number) in other.creations {
            *self.creations.entry(node).or_default() += number;
        }
        for (location, number) in other.creators {
            *self.creators.entry(location).or_default() += number;
        }
    }
}

/// Collects the compounds of a trace. Memory follows the number of call paths and threads.
#[derive(Debug)]
pub struct Found {
    pub(super) constructs: Table<NodeId, Instances>,
    pub(super) regions: Table<NodeId, Region>,
    /// The construct whose tasks a call path creates.
    pub(super) created: Table<NodeId, NodeId>,
    pub(super) ready: OverTime,
    pub(super) idle: OverTime,
    /// Teams that have not ended, by their communicators.
    open: Table<u32, Open>,
}

/// What is known of a team that has not ended.
#[derive(Debug, Default)]
struct Open {
    region: Region,
    /// The execution of the region to which the time without tasks belongs.
    number: u32,
}

impl Found {
    /// Nothing yet, of a run from `begin` to `end`.
    pub fn new(begin: u64, end: u64) -> Found {
        Found {
            constructs: Table::default(),
            regions: Table::default(),
            created: Table::default(),
            ready: OverTime::new((begin, end), PARTS),
            idle: OverTime::new((begin, end), PARTS),
            open: Table::default(),
        }
    }

    /// Takes a compound.
    pub fn note(&mut self, compound: &Compound) {
        match compound {
            Compound::Task(visit) => self.task(visit),
            Compound::Tasks(team) => self.team(team),
            Compound::TaskWait(visit) => self.wait(visit),
            _ => {}
        }
    }

    fn task(&mut self, visit: &TaskVisit) {
        let instances = self.constructs.entry(visit.at.node).or_default();
        instances.execution.add(visit.work);
        instances.fragments += u64::from(visit.fragments);
        if let Some((created, by)) = visit.created {
            instances.ready.add(visit.ready_ticks());
            *instances.creators.entry(by.location).or_default() += 1;
            self.created.insert(by.node, visit.at.node);
            self.ready.add(created, visit.begun);
        }
        self.open.entry(visit.task.team).or_default().region.add(visit);
    }

    /// A team has ended: its tasks are those of the region.
    fn team(&mut self, team: &TeamTasks) {
        let region = self.regions.entry(team.at.node).or_default();
        region.sums.add(team);
        if let Some(open) = self.open.remove(&team.team.team) {
            region.join(open.region);
        }
    }

    /// An execution of a region without tasks may have waits, too, and has no sums.
    fn wait(&mut self, visit: &TaskWaitVisit) {
        let open = self.open.entry(visit.team.team).or_default();
        if open.number != visit.team.number {
            open.number = visit.team.number;
            open.region.without_task = WithoutTask::default();
        }
        open.region.without_task.join(&without_task(visit));
        self.idle.add(visit.begin, visit.end);
    }
}

/// Why a thread had no task. In a barrier the compound counts waiting for tasks from the latest
/// arrival on; but a thread that begins a task before that has waited for it all the time.
pub(super) fn without_task(visit: &TaskWaitVisit) -> WithoutTask {
    let TaskWaitVisit { begin, since, end, .. } = *visit;
    let mut without = WithoutTask::default();
    let rest = match visit.cause.map(|cause| (cause.event, cause.time.min(end))) {
        Some((TaskEvent::Created(_), time)) => {
            without.creation = ticks(begin, time);
            time
        }
        Some((TaskEvent::Freed(_), time)) => {
            without.end = ticks(begin, time);
            time
        }
        Some((TaskEvent::Done(_), time)) => {
            without.arrival = ticks(begin, since);
            without.end = ticks(since, time);
            time.max(since)
        }
        None if since < end => {
            without.arrival = ticks(begin, since);
            since
        }
        None => begin,
    };
    without.scheduling = ticks(rest, end);
    without
}
