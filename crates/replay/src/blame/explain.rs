//! Why a location waited: what the location that it waited for did in excess, in the time since
//! both were together last, and which waiting of that location delayed it.
//!
//! * Barrier: the excess of the last thread over the waiting one, by call path, since the barrier
//!   before (or the begin of the part). Waiting counts as no activity, but as a cause of its own:
//!   the last thread may be late because it waited itself.
//! * Lock: what the holder did while it had the lock. The part of the wait in which the holder
//!   waited for the same lock itself goes back to the wait of the holder. If a construct calls the
//!   lock routine, the cause is the place of the call (`Regions::with_lock`).
//! * Turn: likewise, with the body of the ordered construct.
//! * Iteration of a doacross loop: what the thread that posted it did before (`blame/doacross.rs`).
//! * Task: what its creator did before the creation, or what the task did (`task/explain.rs`).
//! * Call of MPI: what the process that was waited for did in excess, since both were together last
//!   (`blame/intervals.rs`).

use pompeii_model::{Id, LocationId, ProcessId};

use crate::blame::doacross::Doacross;
use crate::blame::excess::Regions;
use crate::blame::holder::Holder;
use crate::blame::intervals::{Excess, Intervals};
use crate::blame::others::Others;
use crate::blame::{Blame, Kind, WaitId};
use crate::compound::{BarrierVisit, Compound, LockVisit, MpiKind, MpiWait, Pattern, TurnVisit};
use crate::definitions::Definitions;
use crate::engine::given::{AtRecord, Given, Known};
use crate::engine::open::Open;
use crate::engine::record::{Rec, TeamInstance, What};
use crate::engine::tree::{NodeId, SharedTree};
use crate::hash::Table;
use crate::place::Place;
use crate::task::compound::{Scheduling, TaskWaitVisit};
use crate::task::explain::TaskActivities;
use crate::times::Times;

/// What a location did since its team was together last.
#[derive(Debug, Default)]
struct Activity {
    times: Times,
    waits: Vec<(WaitId, i64)>,
}

/// A lock that a location has, and what it has done meanwhile.
#[derive(Debug)]
struct Hold {
    lock: u32,
    order: u32,
    times: Times,
}

/// A lock, and whether it is meant for reading.
type LockKey = (ProcessId, u32, bool);

/// A barrier: the team and the number of the barrier in its parallel region.
type Barrier = (TeamInstance, u32);

/// A barrier that some threads have not left.
#[derive(Debug, Default)]
struct Meeting {
    arrived: Table<LocationId, Activity>,
    left: usize,
}

/// A team in its parallel region.
#[derive(Debug)]
struct Team {
    /// Number of threads.
    size: usize,
    /// Barriers that some threads have not left.
    meetings: usize,
    /// Threads that have ended their parts.
    ended: usize,
}

impl Team {
    fn new(definitions: &Definitions, team: TeamInstance) -> Team {
        Team { size: definitions.team_size(team.team.into()), meetings: 0, ended: 0 }
    }
}

/// Locks that a location can have at a time.
const HOLDS_MAX: usize = 64;

/// Waits for tasks that a location can pass back between two barriers. Further ones count as its
/// own activity, because memory must not follow the number of tasks.
const TASK_WAITS_MAX: usize = 1_000;

/// Explanations of all waits.
#[derive(Debug, Default)]
pub struct Explanations {
    /// By location: its activities in its teams, from the outside in.
    activities: Vec<Vec<Activity>>,
    /// By location: the locks that it has.
    holds: Vec<Vec<Hold>>,
    /// What the last holder of a lock did, for writing and for reading, with the number of its
    /// acquisition.
    held: Table<LockKey, (u32, Times)>,
    meetings: Table<Barrier, Meeting>,
    teams: Table<TeamInstance, Team>,
    /// By location: the barriers at which it has arrived. Some of them may be over.
    arrivals: Vec<Vec<Barrier>>,
    locks: Table<LockKey, Holder>,
    turns: Table<TeamInstance, Holder>,
    doacross: Doacross,
    tasks: TaskActivities,
    pub(super) regions: Regions,
    /// Between processes; `None` if there is only one.
    pub(super) intervals: Option<Intervals>,
    pub(super) blame: Blame,
    /// Other ranks have some of the locations.
    pub(super) others: Option<Others>,
}

impl Explanations {
    /// Before the first record.
    pub fn new(definitions: &Definitions) -> Explanations {
        let locations = definitions.system.locations.len();
        let has_several = definitions.system.processes.len() > 1;
        let intervals = has_several.then(|| Intervals::new(definitions));
        let activities = (0..locations).map(|_| Vec::new()).collect();
        let holds = (0..locations).map(|_| Vec::new()).collect();
        let tasks = TaskActivities::new(locations);
        let arrivals = vec![Vec::new(); locations];
        Explanations { activities, holds, tasks, intervals, arrivals, ..Explanations::default() }
    }

    /// Takes the call paths that are new.
    pub(crate) fn learn(&mut self, tree: &SharedTree) {
        self.regions.learn(tree);
    }

    /// Takes the next records.
    pub(crate) fn take(&mut self, (definitions, tree): (&Definitions, &SharedTree), given: &Given) {
        self.learn(tree);
        given.each(|record, profile, known| self.record(definitions, record, (profile, known)));
        self.take_late(&given.late);
        self.settle(&given.needed);
    }

    /// Waits became known after the records of their calls.
    pub(crate) fn take_late(&mut self, late: &[MpiWait]) {
        late.iter().for_each(|wait| self.wait_without_cause(wait));
    }

    /// Takes the next record.
    pub(crate) fn record(
        &mut self,
        definitions: &Definitions,
        record: &Rec,
        (profile, known): AtRecord<'_>,
    ) {
        self.blame.now((record.time, record.location));
        // In one process all waits are settled soon.
        if self.intervals.is_some() && self.others.is_none() {
            self.blame.give_up_if_many();
        }
        self.advance(definitions, record, profile);
        for (_, known) in known {
            match known {
                Known::Threads(compound) => self.wait(definitions, record, compound),
                Known::InCall(wait) => self.wait_in_call(record, wait),
                Known::Late(wait) => self.wait_without_cause(wait),
            }
        }
        if let What::MpiLeave { .. } = record.what {
            self.leave(record);
        }
        self.advanced(record);
    }

    /// A location comes to a record; `profile` has its time since the last one.
    fn advance(&mut self, definitions: &Definitions, record: &Rec, profile: &[(NodeId, i64)]) {
        self.hold_on(definitions, record, profile);
        self.tasks.advance(record, profile);
        if let Some(intervals) = &mut self.intervals {
            intervals.advance(record, profile);
        }
        let activities = &mut self.activities[record.location.index()];
        if matches!(record.what, What::PartBegin { .. }) {
            activities.push(Activity::default());
        }
        let Some(activity) = activities.last_mut() else { return };
        for &(node, ticks) in profile {
            activity.times.add(node, ticks);
        }
        self.doacross.advance(record, profile, &activity.times);
        match record.what {
            What::BarrierEnter { team, barrier } => {
                let arrivals = &mut self.arrivals[record.location.index()];
                arrivals.retain(|before| self.meetings.contains_key(before));
                arrivals.push((team, barrier));
                let teams = &mut self.teams;
                let meeting = self.meetings.entry((team, barrier)).or_insert_with(|| {
                    let new = || Team::new(definitions, team);
                    teams.entry(team).or_insert_with(new).meetings += 1;
                    Meeting::default()
                });
                meeting.arrived.insert(record.location, std::mem::take(activity));
            }
            // What follows is new. If all have arrived, `barrier` adds the rest of the visit.
            What::BarrierLeave { .. } => *activity = Activity::default(),
            What::PartEnd { team, .. } => {
                let ended = activities.pop();
                // What happened in an inner team is an activity in the outer one.
                if let (Some(outer), Some(ended)) = (activities.last_mut(), ended) {
                    ended.times.iter().for_each(|(node, ticks)| outer.times.add(node, ticks));
                    outer.waits.extend(ended.waits);
                }
                self.turns.remove(&team);
                self.end_part(definitions, team);
            }
            _ => {}
        }
    }

    /// A thread has ended its part. If it is the last one of the team, no thread comes to the
    /// barriers any more that some have not reached, because of `cancel` or a damaged trace.
    fn end_part(&mut self, definitions: &Definitions, team: TeamInstance) {
        let new = || Team::new(definitions, team);
        let of_team = self.teams.entry(team).or_insert_with(new);
        of_team.ended += 1;
        if of_team.ended < of_team.size {
            return;
        }
        let is_open = of_team.meetings > 0;
        self.teams.remove(&team);
        if is_open {
            self.meetings.retain(|(of, _), _| *of != team);
        }
    }

    /// Notes what a location does while it has locks.
    fn hold_on(&mut self, definitions: &Definitions, record: &Rec, profile: &[(NodeId, i64)]) {
        let holds = &mut self.holds[record.location.index()];
        for hold in holds.iter_mut() {
            profile.iter().for_each(|&(node, ticks)| hold.times.add(node, ticks));
        }
        match record.what {
            // Of a location with more locks at a time, the further ones are not followed.
            What::Acquire { lock, order, .. } if holds.len() < HOLDS_MAX => {
                holds.push(Hold { lock, order, times: Times::default() });
            }
            What::Release { lock, order, is_shared } => {
                let is_this = |hold: &Hold| (hold.lock, hold.order) == (lock, order);
                if let Some(place) = holds.iter().rposition(is_this) {
                    let process = definitions.system.locations[record.location].process;
                    let times = holds.remove(place).times;
                    self.held.insert((process, lock, is_shared), (order, times));
                }
            }
            _ => {}
        }
    }

    /// A wait has ended.
    fn wait(&mut self, definitions: &Definitions, record: &Rec, compound: &Compound) {
        match compound {
            Compound::Barrier(visit) => {
                self.tasks.exclude(visit.at, visit.wait_ticks());
                self.barrier(definitions, record, visit);
            }
            Compound::Lock(visit) => {
                self.tasks.exclude(visit.at, visit.wait_ticks());
                self.acquire(definitions, visit);
            }
            Compound::Turn(visit) => {
                self.tasks.exclude(visit.at, visit.wait_ticks());
                match record.what {
                    What::Turn { team: Some(team), .. } => self.turn(team, visit),
                    What::Sink { team: Some(team), .. } => self.sink(team, visit),
                    _ => {}
                }
            }
            Compound::TaskWait(visit) => self.task_wait(visit),
            Compound::Awaited(awaited) => self.tasks.awaited(record, awaited),
            Compound::Tasks(tasks) => self.tasks.end_team(tasks),
            _ => {}
        }
    }

    /// A thread has a lock, for which it may have waited.
    fn acquire(&mut self, definitions: &Definitions, visit: &LockVisit) {
        let process = definitions.system.locations[visit.at.location].process;
        let key = |is_shared| (process, visit.lock, is_shared);
        let holders = [false, true].into_iter().filter_map(|shared| self.locks.get(&key(shared)));
        let holder = holders.copied().find(|holder| holder.order == visit.follows);
        let by = visit.before.map(|(_, by)| by);
        let times = [false, true].into_iter().find_map(|shared| self.held(key(shared), visit));
        let times = times.unwrap_or_default();
        let times = match by {
            Some(by) if visit.wait_ticks() > 0 => {
                self.regions.with_lock(definitions, times, by.node)
            }
            _ => times,
        };
        let wait = self.hold((visit.at, visit.since, visit.wait_ticks()), (by, holder), &times);
        let (location, order, since) = (visit.at.location, visit.order, visit.acquired);
        self.locks.insert(key(visit.is_shared), Holder { location, order, since, wait });
    }

    /// What the thread did that had the lock before this acquisition. Several readers may have
    /// waited for one writer, so they leave it there.
    fn held(&mut self, key: LockKey, visit: &LockVisit) -> Option<Times> {
        let is_it = |(order, _): &(u32, Times)| *order == visit.follows;
        let held = match visit.is_shared {
            true if visit.wait_ticks() > 0 => self.held.get(&key).cloned(),
            true => None,
            false => self.held.remove(&key),
        };
        held.filter(is_it).map(|(_, times)| times)
    }

    /// A thread has waited for its turn.
    fn turn(&mut self, team: TeamInstance, visit: &TurnVisit) {
        let holder = self.turns.get(&team).copied();
        let by = visit.before.map(|(_, by)| by);
        let waited = (visit.at, visit.since, visit.wait_ticks());
        let wait = self.hold(waited, (by, holder), &Times::default());
        let (location, since) = (visit.at.location, visit.begun);
        self.turns.insert(team, Holder { location, order: 0, since, wait });
    }

    /// A thread has waited for iterations of a doacross loop.
    fn sink(&mut self, team: TeamInstance, visit: &TurnVisit) {
        let posted = self.doacross.take(team);
        let nothing = Times::default();
        let times = posted.as_ref().map_or(&nothing, |(_, times)| times);
        let holder = posted.as_ref().map(|(holder, _)| *holder);
        let by = visit.before.map(|(_, by)| by);
        let waited = (visit.at, visit.since, visit.wait_ticks());
        let wait = self.hold(waited, (by, holder), times);
        self.doacross.give_back(team, posted);
        if let Some(wait) = wait {
            self.doacross.waited((visit.at.location, visit.begun), wait);
        }
    }

    /// A call of MPI ends that has waited, or was together with others.
    pub(super) fn wait_in_call(&mut self, record: &Rec, wait: &MpiWait) {
        let (at, ticks) = (wait.at, wait.ticks());
        // Processes begin at different times, so this has no cause in the program.
        let is_begin = wait.kind == MpiKind::Collective(Pattern::Init);
        let id = match self.others {
            _ if ticks <= 0 || is_begin => None,
            Some(_) => self.explain_with_others(wait),
            None => self.explain_in_call(wait),
        };
        let Some(intervals) = &mut self.intervals else { return };
        if ticks > 0 {
            intervals.meet(record, wait, id);
            self.tasks.exclude(at, ticks);
            if let Some(activity) = self.activities[at.location.index()].last_mut() {
                activity.times.add(at.node, -ticks);
                activity.waits.extend(id.map(|id| (id, ticks)));
            }
        }
        if let Some(operation) = wait.together {
            let was_last = intervals.take_part(wait, operation);
            if was_last {
                self.blame.together();
            }
        }
    }

    /// Why a location has waited in a call for another one of this rank.
    pub(super) fn explain_in_call(&mut self, wait: &MpiWait) -> Option<WaitId> {
        let intervals = self.intervals.as_ref()?;
        let Excess { times, roots, waits } = intervals.excess(wait, &self.regions, &self.blame);
        let by = |node: NodeId| (node, wait.causer.location);
        let times = times.into_iter().map(|(node, ticks)| (by(node), ticks));
        let of = ((wait.at, Kind::Mpi(wait.kind)), wait.ticks());
        Some(self.blame.add_of(of, by(wait.causer.node), times, &roots, &waits))
    }

    /// A call of MPI has waited, and this became known long after it.
    fn wait_without_cause(&mut self, wait: &MpiWait) {
        let is_begin = wait.kind == MpiKind::Collective(Pattern::Init);
        if wait.ticks() > 0 && !is_begin {
            let of = ((wait.at, Kind::Mpi(wait.kind)), wait.ticks());
            self.blame.add_of(of, (wait.causer.node, wait.causer.location), [], &[], &[]);
        }
    }

    /// A call of MPI ends, and its waits are known.
    pub(super) fn leave(&mut self, record: &Rec) {
        if let Some(intervals) = &mut self.intervals {
            intervals.leave(record);
        }
    }

    /// All waits that end with a record are known.
    fn advanced(&mut self, record: &Rec) {
        self.tasks.settle(record);
    }

    /// A thread has waited for a task. In a barrier it is not late because of that: all leave it
    /// when the last task is done.
    fn task_wait(&mut self, visit: &TaskWaitVisit) {
        let waits = self.tasks.wait(visit, &self.regions, &mut self.blame);
        for &(id, ticks) in &waits {
            if let Some(intervals) = &mut self.intervals {
                intervals.wait(visit.at.location, (visit.at.node, ticks), Some(id));
            }
        }
        let Some(activity) = self.activities[visit.at.location.index()].last_mut() else { return };
        let is_barrier = matches!(visit.scheduling, Scheduling::Barrier(_));
        for (id, ticks) in waits.into_iter().filter(|_| !is_barrier) {
            if activity.waits.len() < TASK_WAITS_MAX {
                activity.times.add(visit.at.node, -ticks);
                activity.waits.push((id, ticks));
            }
        }
    }

    /// A location has waited for the holder of something, which did this meanwhile.
    fn hold(
        &mut self,
        (at, since, ticks): (Place, u64, i64),
        (by, holder): (Option<Place>, Option<Holder>),
        times: &Times,
    ) -> Option<WaitId> {
        let by = by.filter(|by| by.location != at.location && ticks > 0)?;
        let holder = holder.filter(|holder| holder.location == by.location);
        // The holder has waited for it, too, while this location waited already.
        let before = holder.map_or(0, |holder| holder.since.saturating_sub(since).cast_signed());
        let wait = holder.and_then(|holder| holder.wait).filter(|wait| self.is_recent(by, *wait));
        let through = if wait.is_some() { before.min(ticks) } else { 0 };
        let own = times.shares(ticks - through, by.node);
        let own = own.into_iter().map(|(node, ticks)| ((node, by.location), ticks));
        let waits: Vec<(WaitId, i64)> = wait.map(|wait| (wait, through)).into_iter().collect();
        let id = self.blame.add((at, ticks), (by.node, by.location), own, &waits);
        if let Some(activity) = self.activities[at.location.index()].last_mut() {
            activity.times.add(at.node, -ticks);
            activity.waits.push((id, ticks));
        }
        if let Some(intervals) = &mut self.intervals {
            intervals.wait(at.location, (at.node, ticks), Some(id));
        }
        Some(id)
    }

    /// Whether a location has waited since its team was together last, or before a barrier that not
    /// all have left. Other waits may have been settled already.
    fn is_recent(&self, by: Place, wait: WaitId) -> bool {
        let arrivals = self.arrivals[by.location.index()].iter();
        let arrived =
            arrivals.filter_map(|barrier| self.meetings.get(barrier)?.arrived.get(&by.location));
        let mut all = self.activities[by.location.index()].iter().chain(arrived);
        // It is mostly one of the last.
        all.any(|activity| activity.waits.iter().rev().any(|(known, _)| *known == wait))
    }

    fn barrier(&mut self, definitions: &Definitions, record: &Rec, visit: &BarrierVisit) {
        let (key, location) = ((visit.team, visit.barrier), visit.at.location);
        let ticks = visit.wait_ticks();
        let last = (visit.last.node, visit.last.location);
        let Some(meeting) = self.meetings.get_mut(&key) else { return };
        if ticks > 0 && location != visit.last.location {
            let nothing = Activity::default();
            let of = |location| meeting.arrived.get(&location).unwrap_or(&nothing);
            let (own, late) = (of(location), of(visit.last.location));
            let excess = self.regions.excess(&late.times, &own.times).into_iter();
            let excess = excess.map(|(node, ticks)| ((node, visit.last.location), ticks));
            let id = self.blame.add((visit.at, ticks), last, excess, &late.waits);
            if let Some(intervals) = &mut self.intervals {
                intervals.wait(location, (visit.at.node, ticks), Some(id));
            }
        }
        meeting.left += 1;
        let new = || Team::new(definitions, visit.team);
        let team = self.teams.entry(visit.team).or_insert_with(new);
        if meeting.left >= team.size {
            team.meetings = team.meetings.saturating_sub(1);
            self.meetings.remove(&key);
        }
        // From the latest arrival on each thread does something new. A thread that has left before,
        // by its clock, has begun with that.
        let is_now = (record.location, record.time) == (location, visit.leave);
        if let (true, Some(activity)) = (is_now, self.activities[location.index()].last_mut()) {
            // With tasks nothing new begins before the last of them is done.
            activity.times.add(visit.at.node, visit.rest_ticks() - visit.starvation_ticks());
        }
    }

    /// A window is over: settles what no later wait can refer to. Later waits may refer to these
    /// calls of MPI.
    pub(crate) fn settle(&mut self, calls: &Open) {
        let running = self.activities.iter().flatten();
        let arrived = self.meetings.values().flat_map(|meeting| meeting.arrived.values());
        let needed = running.chain(arrived).flat_map(|activity| &activity.waits);
        let mut needed = needed.map(|(wait, _)| *wait).min();
        if let Some(intervals) = &mut self.intervals {
            intervals.merge(&self.blame, calls);
            needed = needed.into_iter().chain(intervals.first_wait()).min();
        }
        match self.others {
            Some(_) => self.settle_with_others(needed),
            None => self.blame.settle(needed),
        }
    }

    /// All waiting by its causes.
    pub fn result(mut self) -> Blame {
        if self.others.is_none() {
            self.blame.settle(None);
        }
        self.blame
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::record::VisitId;
    use crate::engine::tree::PROGRAM;
    use crate::text;

    #[test]
    fn a_barrier_that_a_thread_never_reaches_is_forgotten_with_its_team() {
        let definitions = text::parse("end 9\nteam A = 0.0 0.1").unwrap().definitions;
        let mut explanations = Explanations::new(&definitions);
        let team = TeamInstance { team: 0, number: 0 };
        let mut take = |time: u64, thread: u32, what: What| {
            let (location, node, visit) = (LocationId(thread), PROGRAM, VisitId::NONE);
            let record = Rec { time, location, node, visit, what, profile: (0, 0) };
            explanations.record(&definitions, &record, (&[], &[]));
            (explanations.meetings.len(), explanations.teams.len())
        };
        take(1, 0, What::PartBegin { team, fork: None, forked: 1 });
        take(1, 1, What::PartBegin { team, fork: None, forked: 1 });
        assert_eq!(take(2, 1, What::BarrierEnter { team, barrier: 0 }), (1, 1));
        assert_eq!(take(3, 0, What::PartEnd { team, fork: None, left: 3 }), (1, 1));
        assert_eq!(take(4, 1, What::PartEnd { team, fork: None, left: 4 }), (0, 0));
    }
}
