//! The critical path: the longest chain of activities that determines how long the program ran, by
//! call path and location. It is found forward, without a second pass and without a record of all
//! events.
//!
//! Each location has the longest path that leads to its last record, its tip. A record adds the
//! time since the last one. When a wait ends, the tip is given up: the longest path leads through
//! the location that was waited for, so the new tip continues the path of that location. Causers
//! are the thread with the last activity before all leave a barrier, the fork of a worker's part,
//! the release of a lock that was waited for, the turn before in an ordered construct, the thread
//! that has posted an iteration of a doacross loop, and the creation or the end of a task that was
//! waited for (`task/path.rs`). The length of a tip is the time since the begin of the program at
//! each record.
//!
//! Paths share their beginnings: a path is a node with a parent. Nodes with one holder are merged
//! after each window, so there are about twice as many as locations and snapshots.
//!
//! A wait of MPI ends with its call. The causer is the process that was waited for, at the begin of
//! its call (`path/marks.rs`). Starting MPI is such a wait, too, so the path begins in the process
//! that came there last.
//!
//! Several ranks find the path together, each with the paths of its own locations
//! (`path/jumps.rs`).

mod arena;
pub(crate) mod jumps;
mod marks;
#[cfg(test)]
pub(crate) mod trace_tests;

use pompeii_model::{Id, LocationId, ProcessId};

use crate::compound::Compound;
use crate::definitions::Definitions;
use crate::engine::given::{AtRecord, Given, Known};
use crate::engine::open::Open;
use crate::engine::record::{ForkId, Rec, TeamInstance, What};
use crate::engine::tree::NodeId;
use crate::hash::Table;
use crate::path::arena::{Arena, Path};
use crate::path::jumps::{EndTime, Far};
use crate::path::marks::Marks;
use crate::task::path::TaskSnapshots;

/// A part of a path: time of a location at a call path.
pub type Part = (NodeId, LocationId);

/// The path of a location up to a time.
#[derive(Debug)]
pub(crate) struct Snapshot {
    path: Path,
    time: u64,
}

/// A location while records come.
#[derive(Debug, Default)]
struct Tip {
    path: Option<Path>,
    /// Times of its last record and of the one before.
    last: u64,
    before: u64,
    /// Time of its last record but those that tell that it has no more events.
    active: u64,
    /// When its last activity ended, which is known with its last record.
    end: u64,
}

/// A barrier that some threads have left.
#[derive(Debug)]
struct Left {
    /// The path of the thread that all waited for; `None` if there is none in the trace.
    causer: Option<(LocationId, Snapshot)>,
    /// Threads that have not left.
    remaining: usize,
}

/// The longest paths of all locations.
#[derive(Debug)]
pub struct Paths {
    arena: Arena,
    tips: Vec<Tip>,
    forks: Table<ForkId, Snapshot>,
    /// The last releases of locks by writers and by readers (`true`), with their numbers.
    releases: Table<(ProcessId, u32, bool), (u32, Snapshot)>,
    turns: Table<TeamInstance, Snapshot>,
    /// The last iterations that were posted in doacross loops.
    posts: Table<TeamInstance, Snapshot>,
    barriers: Table<(TeamInstance, u32), Left>,
    pub(crate) tasks: TaskSnapshots,
    marks: Marks,
    /// Other ranks have some of the locations.
    far: Option<Far>,
}

impl Paths {
    /// Paths before the first record.
    pub fn new(locations: usize) -> Paths {
        Paths {
            arena: Arena::default(),
            tips: (0..locations).map(|_| Tip::default()).collect(),
            forks: Table::default(),
            releases: Table::default(),
            turns: Table::default(),
            posts: Table::default(),
            barriers: Table::default(),
            tasks: TaskSnapshots::default(),
            marks: Marks::new(locations),
            far: None,
        }
    }

    /// Takes the next records.
    pub(crate) fn take(&mut self, definitions: &Definitions, given: &Given) {
        given.each(|record, profile, known| self.record(definitions, record, (profile, known)));
        self.compact(&given.needed);
    }

    /// Takes the next record.
    pub(crate) fn record(
        &mut self,
        definitions: &Definitions,
        record: &Rec,
        (profile, known): AtRecord<'_>,
    ) {
        self.advance(record, profile);
        for (_, known) in known {
            match known {
                Known::Threads(compound) => self.wait(definitions, record, compound),
                Known::InCall(wait) if wait.ticks() > 0 => self.wait_in_call(record, wait),
                Known::InCall(_) | Known::Late(_) => {}
            }
        }
        self.snapshot(definitions, record);
    }

    /// A location comes to a record; `profile` has its time since the last one.
    fn advance(&mut self, record: &Rec, profile: &[(NodeId, i64)]) {
        let tip = &mut self.tips[record.location.index()];
        (tip.before, tip.last) = (tip.last, record.time);
        if !matches!(record.what, What::Cut | What::End) {
            tip.active = record.time;
        }
        if record.what == What::End {
            let ticks = profile.iter().fold(0_i64, |sum, (_, ticks)| sum.saturating_add(*ticks));
            tip.end = tip.before.saturating_add_signed(ticks);
        }
        let path = match (tip.path.take(), record.what) {
            (Some(path), _) => self.arena.own(path),
            // A worker has no path before its first fork.
            (None, What::PartBegin { fork: Some(fork), .. }) if fork.master != record.location => {
                return;
            }
            (None, _) => self.arena.root(),
        };
        for &(node, ticks) in profile {
            self.arena.add(&path, (node, record.location), ticks);
        }
        tip.path = Some(path);
    }

    /// What the record says to those that come later.
    fn snapshot(&mut self, definitions: &Definitions, record: &Rec) {
        let process = definitions.system.locations[record.location].process;
        let tip = &self.tips[record.location.index()];
        self.marks.note(&mut self.arena, record, tip.path.as_ref());
        match record.what {
            What::Fork(fork) => {
                if let Some(snapshot) = self.of(record.location)
                    && let Some(old) = self.forks.insert(fork, snapshot)
                {
                    self.arena.release(old.path);
                }
            }
            What::PartBegin { fork: Some(fork), forked, .. } if fork.master != record.location => {
                let snapshot = self.forks.get(&fork);
                let snapshot = snapshot.map(|it| (self.arena.share(&it.path), it.time));
                if let Some((path, time)) = snapshot.filter(|(_, time)| *time == forked) {
                    self.jump(record, Snapshot { path, time }, record.node);
                }
            }
            What::Release { lock, order, is_shared } => {
                let key = (process, lock, is_shared);
                if let Some(snapshot) = self.of(record.location)
                    && let Some((_, old)) = self.releases.insert(key, (order, snapshot))
                {
                    self.arena.release(old.path);
                }
            }
            What::TurnEnd { team: Some(team) } => {
                if let Some(snapshot) = self.of(record.location)
                    && let Some(old) = self.turns.insert(team, snapshot)
                {
                    self.arena.release(old.path);
                }
            }
            What::Post { team: Some(team) } => {
                if let Some(snapshot) = self.of(record.location)
                    && let Some(old) = self.posts.insert(team, snapshot)
                {
                    self.arena.release(old.path);
                }
            }
            What::PartEnd { team, .. } => {
                let both = [self.turns.remove(&team), self.posts.remove(&team)];
                both.into_iter().for_each(|old| self.release(old));
            }
            What::TaskSwitch { .. } => self.forget_created(record),
            _ => {}
        }
    }

    /// The path of a location up to its last record.
    pub(crate) fn of(&mut self, location: LocationId) -> Option<Snapshot> {
        let tip = &self.tips[location.index()];
        let path = self.arena.share(tip.path.as_ref()?);
        Some(Snapshot { path, time: tip.last })
    }

    /// Gives up a snapshot, if there is one.
    pub(crate) fn release(&mut self, snapshot: Option<Snapshot>) {
        if let Some(snapshot) = snapshot {
            self.arena.release(snapshot.path);
        }
    }

    /// A wait has ended with this record: the longest path leads through its causer.
    fn wait(&mut self, definitions: &Definitions, record: &Rec, compound: &Compound) {
        match compound {
            Compound::Barrier(visit) => {
                let key = (visit.team, visit.barrier);
                let is_now = record.location == visit.at.location && record.time == visit.leave;
                self.leave(definitions, record, key, is_now);
            }
            Compound::Lock(visit) if visit.wait_ticks() > 0 => {
                let process = definitions.system.locations[visit.at.location].process;
                let kinds = [false, true].into_iter();
                let mut released =
                    kinds.filter_map(|shared| self.releases.get(&(process, visit.lock, shared)));
                let snapshot = released.find(|(order, _)| *order == visit.follows);
                let snapshot = snapshot.map(|(_, it)| (self.arena.share(&it.path), it.time));
                self.jump_if_now(record, visit.at.location, snapshot);
            }
            Compound::Turn(visit) if visit.before.is_some() => {
                let before = match record.what {
                    What::Turn { team: Some(team), .. } => self.turns.get(&team),
                    What::Sink { team: Some(team), .. } => self.posts.get(&team),
                    _ => None,
                };
                let before = before.filter(|turn| turn.time > visit.since);
                let snapshot = before.map(|it| (self.arena.share(&it.path), it.time));
                self.jump_if_now(record, visit.at.location, snapshot);
            }
            Compound::Awaited(awaited) => self.awaited(record, awaited),
            Compound::TaskWait(visit) => self.task_wait(record, visit),
            Compound::Tasks(tasks) => self.forget_done(tasks.wait),
            Compound::Part(part) if part.at.location == part.fork.master => {
                if let Some(old) = self.forks.remove(&part.fork) {
                    self.arena.release(old.path);
                }
            }
            _ => {}
        }
    }

    fn jump_if_now(&mut self, record: &Rec, waiter: LocationId, to: Option<(Path, u64)>) {
        let Some((path, time)) = to else { return };
        match record.location == waiter {
            true => self.jump(record, Snapshot { path, time }, record.node),
            // The wait became known later, because of a clock error.
            false => self.arena.release(path),
        }
    }

    /// A thread leaves a barrier, now or, by a clock error, earlier.
    fn leave(
        &mut self,
        definitions: &Definitions,
        record: &Rec,
        key: (TeamInstance, u32),
        is_now: bool,
    ) {
        if !self.barriers.contains_key(&key) {
            let remaining = definitions.team_size(key.0.team.into());
            let causer = self.last_of(definitions, record, key.0);
            self.barriers.insert(key, Left { causer, remaining });
        }
        let Some(left) = self.barriers.get_mut(&key) else { return };
        left.remaining = left.remaining.saturating_sub(1);
        let snapshot = left.causer.as_ref().filter(|(causer, _)| *causer != record.location);
        let snapshot = snapshot.map(|(_, it)| (self.arena.share(&it.path), it.time));
        if left.remaining == 0
            && let Some(Left { causer: Some((_, old)), .. }) = self.barriers.remove(&key)
        {
            self.arena.release(old.path);
        }
        match snapshot {
            Some((path, time)) if is_now => self.jump(record, Snapshot { path, time }, record.node),
            Some((path, _)) => self.arena.release(path),
            None => {}
        }
    }

    /// The thread of a team with the latest record before this one. Nothing of the team came after
    /// that, so its path leads to the end of the barrier.
    fn last_of(
        &mut self,
        definitions: &Definitions,
        record: &Rec,
        team: TeamInstance,
    ) -> Option<(LocationId, Snapshot)> {
        let members = &definitions.comms.get(&team.team)?.members;
        let last = |location: &LocationId| {
            let tip = self.tips.get(location.index()).filter(|tip| tip.path.is_some())?;
            let is_own = *location == record.location;
            Some((if is_own { tip.before } else { tip.last }, *location))
        };
        let (_, causer) = members.iter().filter_map(last).max()?;
        Some((causer, self.of(causer)?))
    }

    /// The path of the record's location continues another path. The time since then was spent at
    /// the call path of the wait. A path never leads forward in time.
    pub(crate) fn jump(&mut self, record: &Rec, to: Snapshot, node: NodeId) {
        let Some(ticks) = record.time.checked_sub(to.time) else {
            self.arena.release(to.path);
            return;
        };
        let path = self.arena.child(to.path);
        self.arena.add(&path, (node, record.location), ticks.cast_signed());
        let tip = &mut self.tips[record.location.index()];
        if let Some(old) = tip.path.replace(path) {
            self.arena.release(old);
        }
    }

    /// A window is over. Later waits may refer to these calls.
    pub(crate) fn compact(&mut self, calls: &Open) {
        self.marks.forget(&mut self.arena, calls);
        self.arena.compact();
    }

    /// The path from the begin to the end, which is that of the process that ends last.
    pub fn result(&self, definitions: &Definitions) -> Table<Part, i64> {
        let last = self.last(definitions);
        last.map(|(_, path)| self.arena.sum(path)).unwrap_or_default()
    }

    /// The path of the process that ends last, and when; of equal ones that of the first location.
    fn last(&self, definitions: &Definitions) -> Option<(EndTime, &Path)> {
        let masters = definitions.system.processes.iter().map(|process| process.master);
        let ended = masters.filter_map(|location| {
            let tip = self.tips.get(location.index())?;
            Some(((tip.end, (tip.active, u32::MAX - location.0)), tip.path.as_ref()?))
        });
        ended.max_by_key(|(end, _)| *end)
    }
}
