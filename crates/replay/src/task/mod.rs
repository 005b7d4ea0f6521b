//! Tasks: instances with their work, the longest chain of work of each parallel region, and the
//! times in which threads had no task, with the reason.
//!
//! Each task, explicit or implicit, carries the length of the longest chain of work that leads to
//! it. A new task takes the length from its creator. Taskwait takes the maximum of the children
//! that are done, the end of a taskgroup that of its tasks, and a barrier that of the whole team.
//! A task with `depend` clauses takes the length from the tasks that it comes after, too.
//! Time at scheduling points, from a fork to its join, and in front of a lock or a turn is no work.
//!
//! A thread without a task waits for one of three events: the creation of the task that it executes
//! next, the end of the last task after which that one may begin, or the end of the last task that
//! its taskwait, taskgroup or barrier waits for. If the task was ready before the thread had time
//! for it, nothing was waited for: this is the cost of scheduling.
//!
//! Only tasks that are not done are kept, so memory follows their number.

pub mod compound;
pub(crate) mod depend;
mod depends;
pub(crate) mod explain;
mod live;
mod lost;
pub(crate) mod path;
pub(crate) mod show;
mod state;
mod steps;

#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use pompeii_model::{Id, LocationId};

use crate::compound::Compound;
use crate::definitions::Definitions;
use crate::engine::matcher::{Found, Matcher};
use crate::engine::record::{ForkId, Rec, Scope, TaskId, TeamInstance, What};
use crate::engine::topics::Topics;
use crate::hash::Table;
use crate::place::Place;
use crate::recent::RecentTable;
use crate::table::Kind;
use compound::{
    Awaited, Scheduling, TaskCause, TaskEvent, TaskStep, TaskVisit, TaskWaitVisit, TeamTasks,
    WaitNumber,
};
use live::{Creation, Live};
use lost::Lost;
use state::{Barrier, Done, Ended, Group, Moment, Origin, Owner, Part, Strand, Team, Wait};

/// All tasks that are not done, and the teams that may have some.
#[derive(Debug, Default)]
pub struct Tasks {
    /// The parts of each location, from the outside in.
    parts: Vec<Vec<Part>>,
    teams: RecentTable<TeamInstance, Team>,
    live: Live,
    groups: Table<WaitNumber, Group>,
    /// The longest chains of teams whose masters have ended their parts, until they join.
    spans: Table<ForkId, i64>,
    /// The last tasks that were done without a creation.
    early: VecDeque<TaskId>,
    lost: Lost,
    /// What tasks do is wanted step by step.
    tells_steps: bool,
    next: u64,
    incomplete: u64,
}

/// Tasks that can be done before their creation, because both have the same time.
const EARLY_MAX: usize = 32;

impl Tasks {
    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    fn part(&mut self, location: LocationId) -> Option<&mut Part> {
        self.parts.get_mut(location.index())?.last_mut()
    }

    /// The task that runs on a location.
    fn current(&mut self, location: LocationId) -> Option<&mut Strand> {
        let part = self.parts.get_mut(location.index())?.last_mut()?;
        match part.task {
            None => Some(&mut part.implicit),
            Some(task) => self.live.get_mut(&task).map(|task| &mut task.strand),
        }
    }

    fn strand_of(&mut self, owner: Owner) -> Option<&mut Strand> {
        match owner {
            Owner::Thread(location, team) => {
                let parts = self.parts.get_mut(location.index())?;
                let part = parts.iter_mut().rfind(|part| part.team == team)?;
                Some(&mut part.implicit)
            }
            Owner::Task(task, serial) => {
                self.live.instance_mut((task, serial)).map(|task| &mut task.strand)
            }
        }
    }

    /// Counts the time since the last record of the location as work, if it is.
    fn account(&mut self, record: &Rec) {
        let Some(part) = self.part(record.location) else { return };
        let since = std::mem::replace(&mut part.since, record.time);
        let end = match record.what {
            What::Acquire { since: asked, .. }
            | What::Turn { since: asked, .. }
            | What::Sink { since: asked, .. } => asked.clamp(since, record.time.max(since)),
            _ => record.time,
        };
        if !part.is_forked {
            self.work(record.location, end.saturating_sub(since).cast_signed());
        }
    }

    fn work(&mut self, location: LocationId, ticks: i64) {
        let Some(strand) = self.current(location).filter(|strand| strand.wait.is_none()) else {
            return;
        };
        strand.path = strand.path.saturating_add(ticks);
        strand.work = strand.work.saturating_add(ticks);
        if let Some(part) = self.part(location) {
            part.work = part.work.saturating_add(ticks);
        }
    }

    fn begin_part(
        &mut self,
        definitions: &Definitions,
        record: &Rec,
        (team, fork): (TeamInstance, Option<ForkId>),
    ) {
        let (number, outer) = (self.number(), self.owner(record.location));
        let is_lost = !self.teams.contains_key(&team) && self.misses_some(definitions, team);
        let size = || definitions.team_size(team.team.into());
        let new = || Team { is_lost, ..Team::new(number, size()) };
        let of_team = self.teams.get_or_insert_with(team, new);
        if let Some(fork) = fork.filter(|fork| fork.master == record.location) {
            (of_team.fork, of_team.outer) = (Some(fork), outer);
            of_team.at = Some(record.place());
        }
        of_team.begin = of_team.begin.min(record.time);
        let place = record.location.index();
        if self.parts.len() <= place {
            self.parts.resize_with(place + 1, Vec::new);
        }
        self.parts[place].push(Part::new(team, record.time));
    }

    fn end_part(&mut self, record: &Rec, team: TeamInstance, found: Found<'_>) {
        self.end_idle(record, None, found);
        let Some(parts) = self.parts.get_mut(record.location.index()) else { return };
        let Some(mut part) = parts.pop_if(|part| part.team == team) else { return };
        if let Some(outer) = parts.last_mut() {
            outer.since = record.time;
        }
        self.forget_groups(&part.implicit);
        if self.tells_steps {
            found(part.last_step(record.location));
        }
        self.note_end(record.location, team);
        let Some(of_team) = self.teams.get_mut(&team) else { return };
        of_team.work = of_team.work.saturating_add(part.work);
        of_team.path = of_team.path.max(part.implicit.path);
        of_team.end = of_team.end.max(record.time);
        of_team.ended += 1;
        if let Some(fork) = of_team.fork.filter(|fork| fork.master == record.location) {
            self.spans.insert(fork, of_team.path);
        }
        if of_team.ended >= of_team.size {
            self.end_team(team, found);
        }
    }

    fn end_team(&mut self, team: TeamInstance, found: Found<'_>) {
        let Some(ended) = self.teams.remove(&team) else { return };
        if ended.live > 0 {
            self.live.forget(|of| of == team);
            self.incomplete += ended.live;
        }
        if let (Some(outer), Some(at)) = (ended.outer, ended.at) {
            self.add_inner_work((outer, at.location), ended.work);
        }
        let (Some(at), 1..) = (ended.at, ended.tasks) else { return };
        let Team { size: threads, tasks, dependences, work, path: span, .. } = ended;
        let Team { begin, end, number: wait, .. } = ended;
        found(Compound::Tasks(TeamTasks {
            at,
            team,
            threads,
            begin,
            end,
            tasks,
            dependences,
            work,
            span,
            wait,
        }));
    }

    /// The work of an inner team is work of the task that forked it. The last thread may end its
    /// part after the join.
    fn add_inner_work(&mut self, (outer, master): (Owner, LocationId), ticks: i64) {
        let Some(strand) = self.strand_of(outer) else { return };
        strand.work = strand.work.saturating_add(ticks);
        if let Some(part) = self.part(master) {
            part.work = part.work.saturating_add(ticks);
        }
    }

    /// The longest chain of an inner team is part of that of the task that forked it.
    fn join(&mut self, record: &Rec, fork: ForkId) {
        let span = self.spans.remove(&fork);
        if let Some(part) = self.part(record.location) {
            part.is_forked = false;
        }
        if let (Some(span), Some(strand)) = (span, self.current(record.location)) {
            strand.path = strand.path.saturating_add(span);
        }
    }

    fn create(&mut self, record: &Rec, id: TaskId, found: Found<'_>) {
        let location = record.location;
        let Some(&Part { team, task, .. }) = self.part(location).map(|part| &*part) else { return };
        let serial = self.number();
        let Some(owner) = self.owner(location) else { return };
        let inherited = task.and_then(|task| self.live.origin(&task)?.group);
        let Some(strand) = self.current(location) else { return };
        strand.children += 1;
        let (path, group) = (strand.path, strand.groups().last().copied().or(inherited));
        let origin = Origin { team, owner: Some(owner), group, location };
        let before = self.live.serial_before_creation(&id);
        let serial = before.unwrap_or(serial);
        let after = self.take_items(location, (id, serial));
        let path = path.max(after.as_ref().and_then(|after| after.end).unwrap_or(0));
        let creation = Creation { origin, time: record.time, place: record.place(), path };
        let is_begun = self.is_begun((id, before.is_some()), &creation);
        self.tell_creation(location, serial, (after.as_ref(), found));
        self.note_created(location, Some(id));
        if !is_begun {
            let old = self.live.create(id, serial, &creation);
            self.count_new(team, old);
        }
        if let Some(after) = after {
            self.connect((id, serial), path, after);
        }
        if is_begun {
            return;
        }
        if self.live.is_ready(&id) && self.teams.get(&team).is_some_and(|team| team.idle > 0) {
            found(Compound::Awaited(Awaited::Created(id)));
        }
    }

    /// At one and the same time another thread may have begun the task already, and even ended it.
    fn is_begun(&mut self, (id, is_live): (TaskId, bool), creation: &Creation) -> bool {
        if let Some(place) = self.early.iter().position(|early| *early == id) {
            self.early.remove(place);
            return true;
        }
        if is_live {
            self.live.set_creation(&id, creation);
        }
        is_live
    }

    /// A team has a new task. The end of an old one of the same name is not in the trace.
    fn count_new(&mut self, team: TeamInstance, old: Option<TeamInstance>) {
        if let Some(team) = self.teams.get_mut(&team) {
            team.tasks += 1;
            team.live += 1;
        }
        if let Some(old) = old {
            self.incomplete += 1;
            if let Some(team) = self.teams.get_mut(&old) {
                team.live -= 1;
            }
        }
    }

    /// The location goes on with another task.
    fn switch(&mut self, record: &Rec, to: Option<TaskId>, found: Found<'_>) {
        let location = record.location;
        let Some(team) = self.part(location).map(|part| part.team) else { return };
        let cause = to.and_then(|to| self.live.get_mut(&to)?.begin_cause(to));
        self.end_creator_wait(record, (to, cause), found);
        if to.is_some() && self.current(location).is_some_and(|it| it.is_in_barrier()) {
            self.expect_tasks(team);
        }
        self.end_idle(record, cause, found);
        self.suspend(record, found);
        if let Some(to) = to {
            if !self.live.contains(&to) {
                let serial = self.number();
                self.live.begin(to, serial, (team, location));
                self.count_new(team, None);
            }
            let from = self
                .owner(location)
                .filter(|owner| self.strand_of(*owner).is_some_and(|strand| strand.wait.is_none()));
            let owner = |origin: &Origin| origin.owner;
            let by_creator = from.is_some() && self.live.origin(&to).and_then(owner) == from;
            let task = self.live.get_mut(&to);
            let is_at_once = task.is_some_and(|it| it.begin_fragment(record.time, by_creator));
            if self.tells_steps && is_at_once {
                self.live.step(&to, TaskStep::AtOnce).into_iter().for_each(found);
            }
        }
        if let Some(part) = self.part(location) {
            part.task = to;
        }
        self.begin_idle_if_waiting(record);
    }

    /// From here on threads in barriers wait for tasks.
    fn expect_tasks(&mut self, team: TeamInstance) {
        if let Some(team) = self.teams.get_mut(&team) {
            team.has_tasks = true;
        }
    }

    /// The task that runs is suspended. If it does not wait, another thread may go on with it.
    fn suspend(&mut self, record: &Rec, found: Found<'_>) {
        let Some(&Part { team, task: Some(id), .. }) = self.part(record.location).map(|it| &*it)
        else {
            return;
        };
        let Some(task) = self.live.get_mut(&id).filter(|task| task.strand.wait.is_none()) else {
            return;
        };
        (task.ready, task.is_freed) = (Some(Moment::new(record.time, record.place())), false);
        if self.teams.get(&team).is_some_and(|team| team.idle > 0) {
            found(Compound::Awaited(Awaited::Created(id)));
        }
    }

    /// The task that runs on a location.
    fn owner(&mut self, location: LocationId) -> Option<Owner> {
        let &Part { team, task, .. } = self.part(location).map(|part| &*part)?;
        match task {
            None => Some(Owner::Thread(location, team)),
            Some(task) => self.live.serial(&task).map(|serial| Owner::Task(task, serial)),
        }
    }

    fn complete(&mut self, record: &Rec, id: TaskId, found: Found<'_>) {
        let Some(part) = self.part(record.location).filter(|part| part.task == Some(id)) else {
            return;
        };
        part.task = None;
        let Some(mut ended) = self.live.remove(&id) else { return };
        if self.tells_steps {
            found(ended.last_step());
        }
        self.forget_groups(&ended.task.strand);
        if ended.created.is_none() {
            self.early.push_front(id);
            self.early.truncate(EARLY_MAX);
        }
        let done = Done { time: record.time, place: record.place() };
        self.tell_next((id, &ended), done, found);
        let by = [
            self.tell_owner(&ended, done),
            self.tell_group(&ended, done),
            self.tell_team(&ended, done),
        ];
        let Ended { created, task, .. } = ended;
        found(Compound::Task(TaskVisit {
            at: done.place,
            task: id,
            created,
            begun: task.begun().unwrap_or(record.time),
            ended: record.time,
            work: task.strand.work,
            fragments: task.fragments,
            children: task.strand.children,
        }));
        if by.iter().any(Option::is_some) {
            found(Compound::Awaited(Awaited::Done { task: id, by }));
        }
    }

    /// A child is done. Returns the taskwait of another thread that waits for it.
    fn tell_owner(&mut self, ended: &Ended, done: Done) -> Option<WaitNumber> {
        let owner = self.strand_of(ended.origin.owner?)?;
        let is_awaited = owner.note_child(ended, done);
        let is_other = |wait: &Wait| wait.at.location != done.place.location;
        let wait = owner.wait.filter(|wait| wait.scheduling == Scheduling::Taskwait);
        wait.filter(|wait| is_awaited && is_other(wait)).map(|wait| wait.number)
    }

    fn tell_group(&mut self, ended: &Ended, done: Done) -> Option<WaitNumber> {
        let number = ended.origin.group?;
        let group = self.groups.get_mut(&number)?;
        group.path = group.path.max(ended.task.strand.path);
        group.last = Some(done);
        group.waits.filter(|waits| *waits != done.place.location).map(|_| number)
    }

    fn tell_team(&mut self, ended: &Ended, done: Done) -> Option<WaitNumber> {
        let team = self.teams.get_mut(&ended.origin.team)?;
        team.path = team.path.max(ended.task.strand.path);
        team.last_done = Some(done);
        team.live = team.live.saturating_sub(1);
        // Before all have arrived at a barrier, its threads wait for another thread.
        let is_late = team.barriers.values().any(|barrier| barrier.latest.is_some());
        (team.idle > 0 && is_late).then_some(team.number)
    }

    fn begin_group(&mut self, record: &Rec, found: Found<'_>) {
        self.tell(record.location, TaskStep::GroupBegin, found);
        let number = self.number();
        if let Some(strand) = self.current(record.location) {
            strand.more().groups.push(number);
            self.groups.insert(number, Group { path: 0, last: None, waits: None });
        }
    }

    fn end_group(&mut self, record: &Rec, found: Found<'_>) {
        let more = self.current(record.location).and_then(Strand::known_more);
        let number = more.and_then(|more| more.groups.pop());
        if let Some(number) = number {
            self.groups.remove(&number);
            self.tell(record.location, TaskStep::GroupEnd, found);
        }
    }

    /// A task is over, and its taskgroups with it.
    fn forget_groups(&mut self, strand: &Strand) {
        for number in strand.groups() {
            self.groups.remove(number);
        }
    }

    /// The task that runs begins to wait.
    fn wait(&mut self, record: &Rec, scope: Scope, found: Found<'_>) {
        let number = self.number();
        let at = record.place();
        let Some(strand) = self.current(record.location) else { return };
        let wait = match (scope, strand.groups().last()) {
            (Scope::Children, _) => Wait { scheduling: Scheduling::Taskwait, number, at },
            (Scope::Group, Some(&number)) => {
                Wait { scheduling: Scheduling::TaskgroupEnd, number, at }
            }
            (Scope::Group, None) => return,
        };
        strand.wait = Some(wait);
        if scope == Scope::Children {
            self.begin_taskwait(record.location, found);
        }
        if let Some(group) = self.groups.get_mut(&wait.number) {
            group.waits = Some(record.location);
        }
        self.begin_idle_if_waiting(record);
    }

    /// The task that runs has what it waited for.
    fn go_on(&mut self, record: &Rec, found: Found<'_>) {
        let Some(strand) = self.current(record.location) else { return };
        let Some(wait) = strand.wait else { return };
        let (path, last) = match wait.scheduling {
            Scheduling::TaskgroupEnd => match self.groups.get_mut(&wait.number) {
                Some(group) => {
                    group.waits = None;
                    (group.path, group.last)
                }
                None => (0, None),
            },
            _ => strand.end_taskwait(),
        };
        self.end_idle(record, last.map(|done| done.cause(wait.number)), found);
        if let Some(strand) = self.current(record.location) {
            strand.wait = None;
            strand.path = strand.path.max(path);
        }
    }

    fn arrive(&mut self, record: &Rec, (team, barrier): (TeamInstance, u32), found: Found<'_>) {
        let at = record.place();
        let (Some(of_team), Some(parts)) =
            (self.teams.get_mut(&team), self.parts.get_mut(record.location.index()))
        else {
            return;
        };
        let Some(part) = parts.last_mut().filter(|part| part.team == team) else { return };
        of_team.path = of_team.path.max(part.implicit.path);
        let open: &mut Barrier = of_team.barriers.entry(barrier).or_default();
        open.arrived += 1;
        if open.arrived == of_team.size {
            open.latest = Some(record.time);
        }
        let (scheduling, number) = (Scheduling::Barrier(barrier), of_team.number);
        part.implicit.wait = Some(Wait { scheduling, number, at });
        self.tell(record.location, TaskStep::Barrier, found);
        self.begin_idle_if_waiting(record);
    }

    fn leave(&mut self, record: &Rec, (team, barrier): (TeamInstance, u32), found: Found<'_>) {
        let Some(of_team) = self.teams.get(&team) else { return };
        let cause = of_team.last_done.map(|done| done.cause(of_team.number));
        self.end_idle(record, cause, found);
        let Some(of_team) = self.teams.get_mut(&team) else { return };
        let longest = of_team.path;
        let Some(open) = of_team.barriers.get_mut(&barrier) else { return };
        let path = *open.path.get_or_insert(longest);
        open.left += 1;
        if open.left >= of_team.size {
            of_team.barriers.remove(&barrier);
        }
        if let Some(part) = self.part(record.location).filter(|part| part.team == team) {
            part.implicit.wait = None;
            part.implicit.path = part.implicit.path.max(path);
            part.implicit.forget_siblings();
        }
    }

    fn begin_idle_if_waiting(&mut self, record: &Rec) {
        let is_waiting = self.current(record.location).is_some_and(|strand| strand.wait.is_some());
        let Some(part) = self.part(record.location).filter(|part| part.idle_since.is_none()) else {
            return;
        };
        if is_waiting {
            part.idle_since = Some(record.time);
            let team = part.team;
            if let Some(team) = self.teams.get_mut(&team) {
                team.idle += 1;
            }
        }
    }

    /// The thread has something to do again. The cause counts if it came in this time, and from
    /// another thread.
    fn end_idle(&mut self, record: &Rec, cause: Option<TaskCause>, found: Found<'_>) {
        let (location, end) = (record.location, record.time);
        let Some(wait) = self.current(location).and_then(|strand| strand.wait) else { return };
        let Some(part) = self.part(location) else { return };
        let (team, Some(begin)) = (part.team, part.idle_since.take()) else { return };
        let Some(of_team) = self.teams.get_mut(&team) else { return };
        of_team.idle = of_team.idle.saturating_sub(1);
        if of_team.is_lost {
            return;
        }
        let since = match wait.scheduling {
            Scheduling::Barrier(barrier) => {
                let latest = of_team.barriers.get(&barrier).and_then(|barrier| barrier.latest);
                latest.map_or(end, |latest| latest.clamp(begin, end))
            }
            _ => begin,
        };
        let is_over = matches!(record.what, What::TaskWaitLeave(_));
        let over = is_over.then_some(wait.number);
        let has_tasks = of_team.has_tasks || !matches!(wait.scheduling, Scheduling::Barrier(_));
        if has_tasks && (begin < end || over.is_some()) {
            let from = |cause: &TaskCause| match cause.event {
                TaskEvent::Created(_) | TaskEvent::Freed(_) => begin,
                TaskEvent::Done(_) => since,
            };
            let is_other = |cause: &TaskCause| cause.by.location != location;
            let cause = cause.filter(|cause| cause.time > from(cause) && is_other(cause));
            let at = Place { location, ..wait.at };
            let scheduling = wait.scheduling;
            let visit = TaskWaitVisit { at, team, scheduling, begin, end, since, cause, over };
            found(Compound::TaskWait(visit));
        }
    }
}

impl Matcher for Tasks {
    // Each record ends a time that may be work.
    const TOPICS: Topics = Topics::ALL;
    const TABLES: &'static [Kind] = &[Kind::Tasks, Kind::Waits];

    fn record(&mut self, definitions: &Definitions, record: &Rec, found: Found<'_>) {
        self.account(record);
        match record.what {
            What::Fork(_) => {
                if let Some(part) = self.part(record.location) {
                    part.is_forked = true;
                }
            }
            What::Join(fork) => self.join(record, fork),
            What::PartBegin { team, fork, .. } => {
                self.begin_part(definitions, record, (team, fork))
            }
            What::PartEnd { team, .. } => self.end_part(record, team, found),
            What::TasksExpected(team) => {
                self.note_created(record.location, None);
                self.expect_tasks(team);
            }
            What::Depend { kind, address } => self.note_item(record.location, (kind, address)),
            What::DependUnknown => self.note_unknown(record.location),
            What::TargetEnter { is_deferred } => self.enter_target(record, is_deferred, found),
            What::TargetLeave => self.leave_target(record),
            What::TaskCreate(task) => self.create(record, task, found),
            What::TaskSwitch { task, .. } => self.switch(record, task, found),
            What::TaskUntied(_) => self.tell(record.location, TaskStep::Untied, found),
            What::TaskComplete(task) => self.complete(record, task, found),
            What::TaskWaitEnter(scope) => self.wait(record, scope, found),
            What::TaskWaitLeave(_) => self.go_on(record, found),
            What::GroupBegin => self.begin_group(record, found),
            What::GroupEnd => self.end_group(record, found),
            What::Dropped | What::Cut => self.lose(definitions, record.location),
            What::BarrierEnter { team, barrier } => self.arrive(record, (team, barrier), found),
            What::BarrierLeave { team, barrier, .. } => {
                self.leave(record, (team, barrier), found);
            }
            _ => {}
        }
    }

    fn end(&mut self, _: &Definitions, _: Found<'_>) -> u64 {
        self.incomplete + self.live.len() as u64
    }
}
