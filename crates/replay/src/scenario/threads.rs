//! What threads of a process wait for: forks, barriers, locks and turns. Tasks are in `tasks.rs`.

use pompeii_model::{Id, ProcessId};

use super::clocks::{Clocks, join};
use super::live::Live;
use super::rules::Rules;
use super::sizes::{self, Share};
use super::strand::Strand;
use super::{Location, Scenarios};
use crate::definitions::Definitions;
use crate::engine::record::{ForkId, Rec, TaskId, TeamInstance, What};
use crate::engine::tree::{NodeId, SharedTree};
use crate::task::depend::Item;

/// How a wait at a call path for a moment is played.
type Wait = fn(&mut Rules, &SharedTree, (NodeId, &mut Clocks), &Clocks);

/// The part of a location in a parallel region.
#[derive(Debug, Default)]
pub(super) struct Part {
    pub(super) number: u64,
    pub(super) implicit: Strand,
    /// The explicit task that runs.
    pub(super) task: Option<TaskId>,
    /// Items of `depend` clauses of the task that is created next, or of the next taskwait.
    pub(super) items: Vec<Item>,
    /// It has others whose addresses are not known.
    pub(super) has_unknown: bool,
    /// The task whose creation is the last record.
    pub(super) created: Option<TaskId>,
    /// It has left the last barrier of the region.
    has_met: bool,
    /// Its work, if teams may have other sizes.
    pub(super) share: Option<Share>,
}

/// A barrier that some threads have left.
#[derive(Debug)]
pub(super) struct Left {
    /// When all had arrived, and all tasks were done.
    all: Clocks,
    remaining: usize,
}

/// How many parts a location has that is in the outermost parallel region and in no inner one: one
/// stands for the time outside.
const IN_OUTERMOST: usize = 2;

impl Location {
    /// Whether the location waits between its records.
    pub(super) fn waits(&self, tasks: &Live) -> bool {
        let Some(part) = self.parts.last() else { return false };
        let strand = match part.task {
            None => Some(&part.implicit),
            Some(task) => tasks.task(&task).map(|task| &task.strand),
        };
        !self.calls.is_empty() || strand.is_some_and(|strand| strand.waits)
    }

    /// Its work since its team has met last. In an inner team, that of the outermost one goes on.
    fn meeting_share(&self) -> Option<&Share> {
        let outermost = self.parts.last().filter(|_| self.parts.len() == IN_OUTERMOST);
        outermost.and_then(|part| part.share.as_ref())
    }

    /// Its team has met.
    fn begin_share(&mut self) {
        if self.parts.len() == IN_OUTERMOST
            && let Some(share) = sizes::share(&mut self.parts)
        {
            share.begin(&self.clocks);
        }
    }
}

impl Scenarios {
    pub(super) fn clocks(&self, record: &Rec) -> Clocks {
        self.locations[record.location.index()].clocks.clone()
    }

    /// The location has waited for a moment, if there is one, and goes on.
    pub(super) fn go_on(&mut self, tree: &SharedTree, record: &Rec, moment: Option<Clocks>) {
        self.go_on_after(tree, record, moment, Rules::wait);
    }

    fn go_on_after(&mut self, tree: &SharedTree, record: &Rec, moment: Option<Clocks>, wait: Wait) {
        let clocks = &mut self.locations[record.location.index()].clocks;
        if let Some(moment) = moment {
            wait(&mut self.rules, tree, (record.node, clocks), &moment);
        }
        clocks.time = record.time;
    }

    pub(super) fn thread_record(
        &mut self,
        (definitions, tree): (&Definitions, &SharedTree),
        record: &Rec,
    ) {
        let process = definitions.system.locations[record.location].process;
        match record.what {
            What::Fork(fork) => {
                let clocks = self.clocks(record);
                self.forks.insert(fork, clocks);
                self.sizes.fork(fork);
            }
            What::PartBegin { team, fork, forked } => {
                self.follow_fork(record, fork, forked);
                self.begin_part((definitions, tree), record, (team, fork));
            }
            What::PartEnd { team, fork, .. } => self.end_part(record, team, fork),
            What::Join(fork) => {
                let forked = self.forks.remove(&fork);
                let ended = self.ended.remove(&fork);
                self.go_on(tree, record, ended);
                let clocks = &mut self.locations[record.location.index()].clocks;
                self.sizes.join(fork, forked.as_ref(), clocks);
            }
            What::BarrierEnter { .. } => self.begin_wait(record),
            What::BarrierLeave { team, barrier, is_final } => {
                self.leave(definitions, (tree, record), (team, barrier), is_final);
            }
            What::Turn { team: Some(team), since } => {
                let before = self.turns.get(&team).cloned();
                self.waited((definitions, tree), record, since, (before, Rules::wait));
            }
            What::TurnEnd { team: Some(team) } => {
                let clocks = self.clocks(record);
                self.turns.insert(team, clocks);
            }
            What::Sink { team: Some(team), since } => {
                let before = self.posts.get(&team).cloned();
                self.waited((definitions, tree), record, since, (before, Rules::wait));
            }
            What::Post { team: Some(team) } => {
                let clocks = self.clocks(record);
                self.posts.insert(team, clocks);
            }
            What::Acquire { lock, since, is_shared, .. } => {
                let before = self.released((process, lock), is_shared);
                self.waited((definitions, tree), record, since, (before, Rules::wait_for_lock));
            }
            What::Release { lock, is_shared, .. } => {
                let clocks = self.clocks(record);
                self.release_lock((process, lock), is_shared, clocks);
            }
            _ => self.task_record((definitions, tree), record),
        }
    }

    /// The releases that a thread may wait for: a reader for the last writer, and a writer for all
    /// readers since then, too.
    fn released(&self, (process, lock): (ProcessId, u32), is_shared: bool) -> Option<Clocks> {
        let mut before = self.releases.get(&(process, lock, false)).cloned();
        if let (false, Some(readers)) = (is_shared, self.releases.get(&(process, lock, true))) {
            join(&mut before, readers);
        }
        before
    }

    fn release_lock(&mut self, (process, lock): (ProcessId, u32), is_shared: bool, clocks: Clocks) {
        if !is_shared {
            self.releases.remove(&(process, lock, true));
        }
        match self.releases.get_mut(&(process, lock, is_shared)) {
            Some(others) if is_shared => others.join(&clocks),
            _ => drop(self.releases.insert((process, lock, is_shared), clocks)),
        }
    }

    /// A worker begins after the fork.
    fn follow_fork(&mut self, record: &Rec, fork: Option<ForkId>, forked: u64) {
        let clocks = &mut self.locations[record.location.index()].clocks;
        if let Some(fork) = fork.filter(|fork| fork.master != record.location) {
            if let Some(moment) = self.forks.get(&fork).filter(|it| it.time == forked) {
                self.rules.fork(clocks, moment);
                self.sizes.follow(clocks, moment);
            }
            clocks.time = record.time;
        }
    }

    fn begin_part(
        &mut self,
        (definitions, tree): (&Definitions, &SharedTree),
        record: &Rec,
        (team, fork): (TeamInstance, Option<ForkId>),
    ) {
        let (number, region) = (self.new_number(), self.rules.region(tree, record.node));
        let location = &mut self.locations[record.location.index()];
        let share = self.sizes.begin(definitions, location, (team, fork, region));
        location.parts.push(Part { number, share, ..Part::default() });
    }

    fn end_part(&mut self, record: &Rec, team: TeamInstance, fork: Option<ForkId>) {
        let location = &mut self.locations[record.location.index()];
        let part = if location.parts.len() > 1 { location.parts.pop() } else { None };
        let is_worker = |fork: &ForkId| fork.master != record.location;
        let has_met = part.as_ref().is_some_and(|part| part.has_met);
        if let Some(share) = part.and_then(|part| part.share) {
            self.sizes.end(&mut location.clocks, share, has_met);
        }
        if let Some(fork) = fork.filter(is_worker).filter(|_| !has_met) {
            let mut ended = self.ended.remove(&fork);
            join(&mut ended, &location.clocks);
            ended.and_then(|ended| self.ended.insert(fork, ended));
        }
        self.turns.remove(&team);
        self.posts.remove(&team);
    }

    /// A location has a lock or its turn, for which it may have waited since a time at the call
    /// path of the record. That time is not work.
    pub(super) fn waited(
        &mut self,
        (definitions, tree): (&Definitions, &SharedTree),
        record: &Rec,
        since: u64,
        (moment, wait): (Option<Clocks>, Wait),
    ) {
        let location = &mut self.locations[record.location.index()];
        if location.waits(&self.tasks) {
            return;
        }
        let since = since.max(location.last).min(record.time);
        let waited = i64::try_from(record.time - since).unwrap_or(i64::MAX);
        let taken_back = [(record.node, -waited)];
        self.rules.work(tree, (record.location, &mut location.clocks), &taken_back);
        self.sizes.work((definitions, tree), location, &taken_back);
        location.clocks.time = since;
        self.go_on_after(tree, record, moment, wait);
    }

    /// A thread leaves a barrier. The first one knows what all have waited for: the last records of
    /// the team before, since nothing comes between them and the end of the barrier.
    fn leave(
        &mut self,
        definitions: &Definitions,
        (tree, record): (&SharedTree, &Rec),
        key: (TeamInstance, u32),
        is_final: bool,
    ) {
        if let Some(part) = self.locations[record.location.index()].parts.last_mut() {
            part.implicit.go_on_without_children();
            part.has_met = is_final;
        }
        let team = definitions.comms.get(&key.0.team).map(|comm| comm.members.as_slice());
        let members = team.unwrap_or_default();
        let region = self.rules.region(tree, record.node);
        let (locations, even) = (&self.locations, self.rules.even(region));
        let left = self.barriers.entry(key).or_insert_with(|| {
            let own = &locations[record.location.index()];
            let others = members.iter().filter(|member| **member != record.location);
            let others: Vec<&Location> =
                others.filter_map(|member| locations.get(member.index())).collect();
            let clocks: Vec<&Clocks> = others.iter().map(|other| &other.clocks).collect();
            let mut all = Clocks::meeting(&own.clocks, &clocks, even);
            let team = others.into_iter().chain([own]);
            self.sizes.meet(&mut all, team.filter_map(Location::meeting_share));
            Left { all, remaining: members.len() }
        });
        left.remaining = left.remaining.saturating_sub(1);
        let (all, is_over) = (left.all.clone(), left.remaining == 0);
        if is_over {
            self.barriers.remove(&key);
        }
        self.go_on(tree, record, Some(all.clone()));
        let location = &mut self.locations[record.location.index()];
        location.clocks.take(&all, self.rules.even(region));
        location.begin_share();
    }
}
