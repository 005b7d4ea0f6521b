//! Barriers of teams: who arrived last, and which tasks the others executed meanwhile.
//!
//! Records come in the order of time, so the latest arrival is known as soon as all threads of the
//! team have arrived. A thread that leaves before that, because of a clock error, is kept until
//! then. A barrier that a thread never reaches (`cancel`, the end of a killed program) is not
//! complete, and its waiting is not known.

use pompeii_model::{Id, LocationId};

use crate::compound::{BarrierVisit, Compound};
use crate::definitions::Definitions;
use crate::engine::matcher::{Found, Matcher};
use crate::engine::record::{Rec, TeamInstance, What};
use crate::engine::topics::Topics;
use crate::place::Place;
use crate::recent::RecentTable;
use crate::table::Kind;

/// A barrier: the team and the number of the barrier in its parallel region.
type Key = (TeamInstance, u32);

/// Barriers that some threads have not left.
#[derive(Debug, Default)]
pub struct Barriers {
    open: RecentTable<Key, Instance>,
    /// By location: more than one, if a task has a team of its own.
    within: Vec<Within>,
    teams: RecentTable<TeamInstance, Team>,
    incomplete: u64,
}

/// A team in its parallel region.
#[derive(Debug, Default)]
struct Team {
    has_tasks: bool,
    /// Barriers that some threads have not left.
    open: usize,
    /// Number of threads, as soon as one of them has ended its part.
    size: Option<usize>,
    /// Threads that have ended their parts.
    ended: usize,
}

#[derive(Debug)]
struct Instance {
    size: usize,
    visits: Vec<Visit>,
    /// When the last thread arrived, and where, if all have arrived.
    latest: Option<(u64, Place)>,
    gone: usize,
}

/// A thread at the barrier.
#[derive(Debug)]
struct Visit {
    at: Place,
    enter: u64,
    /// Time of its tasks up to `task_since`, or all of it between tasks.
    task_ticks: u64,
    task_since: Option<u64>,
    early_task_ticks: u64,
    /// When it left, with what is known then.
    left: Option<(u64, bool, bool)>,
}

impl Visit {
    /// Time of tasks up to now.
    fn tasks_at(&self, now: u64) -> u64 {
        self.task_ticks + self.task_since.map_or(0, |since| now.saturating_sub(since))
    }
}

impl Instance {
    /// The compound of a thread that has left, if all have arrived.
    fn compound(&self, (team, barrier): Key, visit: &Visit) -> Option<Compound> {
        let (latest, last) = self.latest?;
        let (leave, has_tasks, is_final) = visit.left?;
        Some(Compound::Barrier(BarrierVisit {
            at: visit.at,
            team,
            barrier,
            enter: visit.enter,
            leave,
            latest,
            last,
            task_ticks: visit.task_ticks.cast_signed(),
            early_task_ticks: visit.early_task_ticks.cast_signed(),
            has_tasks,
            is_final,
        }))
    }
}

/// The barriers that a location is in, with the number of its visit there.
type Within = Vec<(Key, usize)>;

/// Those of one of all locations.
fn of_location(within: &mut Vec<Within>, location: LocationId) -> &mut Within {
    let place = location.index();
    if place >= within.len() {
        within.resize_with(place + 1, Vec::new);
    }
    &mut within[place]
}

impl Barriers {
    fn arrive(&mut self, definitions: &Definitions, key: Key, record: &Rec, found: Found<'_>) {
        let &Rec { time, location, .. } = record;
        let at = record.place();
        let Barriers { open, within, teams, .. } = self;
        let instance = open.get_or_insert_with(key, || {
            teams.get_or_insert_with(key.0, Team::default).open += 1;
            let size = definitions.team_size(key.0.team.into());
            let visits = Vec::with_capacity(size.min(1 << 12));
            Instance { size, visits, latest: None, gone: 0 }
        });
        of_location(within, location).push((key, instance.visits.len()));
        let (task_ticks, early_task_ticks) = (0, 0);
        let visit =
            Visit { at, enter: time, task_ticks, task_since: None, early_task_ticks, left: None };
        instance.visits.push(visit);
        if instance.visits.len() == instance.size {
            instance.latest = Some((time, at));
            for visit in &mut instance.visits {
                visit.early_task_ticks = visit.tasks_at(time);
            }
            // Those that have left by their clocks were kept until now.
            for visit in instance.visits.iter().filter(|visit| visit.left.is_some()) {
                instance.compound(key, visit).into_iter().for_each(&mut *found);
            }
            self.forget_if_over(key);
        }
    }

    fn leave(&mut self, key: Key, record: &Rec, is_final: bool, found: Found<'_>) {
        let within = of_location(&mut self.within, record.location);
        let known = within.iter().find(|(open, _)| *open == key).map(|(_, number)| *number);
        within.retain(|(open, _)| *open != key);
        let Some(number) = known else { return };
        let has_tasks = self.teams.get(&key.0).is_some_and(|team| team.has_tasks);
        let Some(instance) = self.open.get_mut(&key) else { return };
        let Some(visit) = instance.visits.get_mut(number) else { return };
        visit.task_ticks = visit.tasks_at(record.time);
        visit.task_since = None;
        visit.left = Some((record.time, has_tasks, is_final));
        instance.gone += 1;
        let visit = instance.visits.get(number);
        let compound = visit.and_then(|visit| instance.compound(key, visit));
        compound.into_iter().for_each(found);
        self.forget_if_over(key);
    }

    /// All threads have been at the barrier.
    fn forget_if_over(&mut self, key: Key) {
        if self.open.get(&key).is_some_and(|it| it.latest.is_some() && it.gone == it.size) {
            self.open.remove(&key);
            if let Some(team) = self.teams.get_mut(&key.0) {
                team.open = team.open.saturating_sub(1);
            }
        }
    }

    /// The thread begins or ends an explicit task in the barrier that it is in.
    fn switch(&mut self, record: &Rec, team: Option<TeamInstance>, is_task: bool) {
        let within = of_location(&mut self.within, record.location);
        let Some(&(key, number)) = within.last() else { return };
        let Some(visit) = self.open.get_mut(&key).and_then(|it| it.visits.get_mut(number)) else {
            return;
        };
        if team == Some(key.0) {
            visit.task_ticks = visit.tasks_at(record.time);
            visit.task_since = is_task.then_some(record.time);
            // The creation of the task may be missing.
            self.teams.get_or_insert_with(key.0, Team::default).has_tasks |= is_task;
        }
    }

    /// A thread has ended its part. If it is the last one of the team, the barriers that
    /// are not complete get no further thread.
    fn end_part(&mut self, definitions: &Definitions, team: TeamInstance) {
        let of_team = self.teams.get_or_insert_with(team, Team::default);
        of_team.ended += 1;
        let size = of_team.size.get_or_insert_with(|| definitions.team_size(team.team.into()));
        if of_team.ended != *size {
            return;
        }
        let open = of_team.open;
        self.teams.remove(&team);
        // In most cases there is none, and other teams may have many.
        if open > 0 {
            let before = self.open.len();
            self.open.retain(|key, _| key.0 != team);
            self.incomplete += (before - self.open.len()) as u64;
        }
    }
}

impl Matcher for Barriers {
    const TOPICS: Topics = Topics::BARRIERS.with(Topics::TASKS).with(Topics::TEAMS);
    const TABLES: &'static [Kind] = &[Kind::Barriers, Kind::Waits];

    fn record(&mut self, definitions: &Definitions, record: &Rec, found: Found<'_>) {
        match record.what {
            What::BarrierEnter { team, barrier } => {
                self.arrive(definitions, (team, barrier), record, found);
            }
            What::BarrierLeave { team, barrier, is_final } => {
                self.leave((team, barrier), record, is_final, found);
            }
            What::TasksExpected(team) => {
                self.teams.get_or_insert_with(team, Team::default).has_tasks = true;
            }
            What::TaskSwitch { team, task } => self.switch(record, team, task.is_some()),
            What::PartEnd { team, .. } => self.end_part(definitions, team),
            _ => {}
        }
    }

    fn end(&mut self, _: &Definitions, _: Found<'_>) -> u64 {
        self.incomplete + self.open.len() as u64
    }
}
