//! Items of `depend` clauses as they come with the creations of tasks and with taskwaits, and what
//! follows from them for the tasks of a team. The rule is in `depend.rs`.

use pompeii_model::{DependKind, Id, LocationId};

use super::Tasks;
use super::compound::{Awaited, Scheduling, TaskCause, TaskStep, TaskWaitVisit};
use super::depend::{After, Instance, Item};
use super::state::{AwaitedTasks, Done, Ended, Moment, Part, Strand, Target};
use crate::compound::Compound;
use crate::engine::matcher::Found;
use crate::engine::record::{Rec, TaskId, TeamInstance};
use crate::place::span;

impl Tasks {
    /// The task that the location creates next, or its next taskwait, has this item.
    pub(super) fn note_item(&mut self, at: LocationId, (kind, address): (DependKind, u64)) {
        if let Some(part) = self.part(at) {
            part.items.push(Item { kind, address });
        }
    }

    /// It has items whose addresses are not known.
    pub(super) fn note_unknown(&mut self, at: LocationId) {
        if let Some(part) = self.part(at) {
            part.has_unknown = true;
        }
    }

    /// The items of the present record, if there are some.
    fn items(&mut self, at: LocationId) -> Option<(TeamInstance, Vec<Item>, bool)> {
        let part = self.part(at)?;
        let (items, has_unknown) =
            (std::mem::take(&mut part.items), std::mem::take(&mut part.has_unknown));
        (!items.is_empty() || has_unknown).then_some((part.team, items, has_unknown))
    }

    /// The running task of the location begins a taskwait, which waits for these tasks only if it
    /// has items.
    pub(super) fn begin_taskwait(&mut self, at: LocationId, found: Found<'_>) {
        let Some((team, items, has_unknown)) = self.items(at) else {
            return self.tell(at, TaskStep::Taskwait, found);
        };
        if let Some(team) = self.teams.get_mut(&team) {
            team.dependences.unknown += u64::from(has_unknown);
        }
        let siblings = self.current(at).and_then(Strand::siblings);
        let (tasks, path) = siblings.map(|siblings| siblings.before(&items)).unwrap_or_default();
        for (_, serial) in &tasks {
            self.tell(at, TaskStep::After(*serial), found);
        }
        self.tell(at, TaskStep::Await, found);
        let serials = tasks.into_iter().map(|(_, serial)| serial).collect();
        let awaited = AwaitedTasks { serials, path: path.unwrap_or(0), last: None };
        if let Some(strand) = self.current(at) {
            strand.more().awaited = Some(Box::new(awaited));
        }
    }

    /// The running task of the location meets a target construct with items. What that executes is
    /// not in the trace: tasks that come after it come after those before it. If the task does not
    /// wait for the construct, how long it takes is not known either.
    pub(super) fn enter_target(&mut self, record: &Rec, is_deferred: bool, found: Found<'_>) {
        let at = record.location;
        let Some((team, items, has_unknown)) = self.items(at) else { return };
        let Some(strand) = self.current(at) else { return };
        let (path, work) = (strand.path, strand.work);
        let after = strand.siblings().map(|siblings| siblings.pass(&items, &path));
        if let Some(team) = self.teams.get_mut(&team) {
            team.dependences.tasks += 1;
            team.dependences.edges += after.as_ref().map_or(0, |after| after.tasks.len() as u64);
            team.dependences.unknown += u64::from(has_unknown || is_deferred);
        }
        let Some(After { tasks, end, member_of }) = after else { return };
        for (id, serial) in &tasks {
            if let Some(before) = self.live.instance_mut((*id, *serial)) {
                before.depend.get_or_insert_default().member_of.extend(&member_of);
            }
        }
        if is_deferred || tasks.is_empty() {
            return;
        }
        for (_, serial) in &tasks {
            self.tell(at, TaskStep::After(*serial), found);
        }
        self.tell(at, TaskStep::Await, found);
        let serials = tasks.into_iter().map(|(_, serial)| serial).collect();
        let awaited = AwaitedTasks { serials, path: end.unwrap_or(0), last: None };
        if let Some(strand) = self.current(at) {
            let target = Target { awaited, since: record.time, path, work };
            strand.more().target = Some(Box::new(target));
        }
    }

    /// The task leaves a target construct. It has waited there up to the last end of the tasks
    /// before, which is no work, and the construct has begun after these.
    pub(super) fn leave_target(&mut self, record: &Rec) {
        let Some(strand) = self.current(record.location) else { return };
        let target = strand.known_more().and_then(|more| more.target.take());
        let Some(target) = target else { return };
        let Target { awaited, since, path, work } = *target;
        let own = strand.work.saturating_sub(work);
        let is_other = |done: &Done| done.place.location != record.location;
        let last = awaited.last.filter(is_other);
        let waited = last.map_or(0, |last| span(since, last.time.min(record.time)).min(own));
        // If the thread has executed a task before it meanwhile, the path has the length of that.
        strand.path = path.max(awaited.path).saturating_add(own);
        self.work(record.location, -waited);
    }

    /// The running task of the location creates this one. `None` if that has no known items.
    pub(super) fn take_items(&mut self, at: LocationId, task: Instance) -> Option<After<i64>> {
        let (team, items, has_unknown) = self.items(at)?;
        let more = self.current(at)?.more();
        let after = more.siblings.get_or_insert_default().add(task, &items);
        if let Some(team) = self.teams.get_mut(&team) {
            let is_exclusive = items.iter().any(|item| item.kind == DependKind::Mutex);
            team.dependences.tasks += 1;
            team.dependences.edges += after.tasks.len() as u64;
            team.dependences.unknown += u64::from(has_unknown || is_exclusive);
        }
        (!items.is_empty()).then_some(after)
    }

    /// The last record of the location is the creation of this task.
    pub(super) fn note_created(&mut self, at: LocationId, task: Option<TaskId>) {
        if let Some(part) = self.part(at) {
            part.created = task;
        }
    }

    /// The location goes on with a task. If that is the one that it has just created, it executes
    /// it at once. Then it has waited for the tasks before since the creation, which is no work.
    pub(super) fn end_creator_wait(
        &mut self,
        record: &Rec,
        (task, cause): (Option<TaskId>, Option<TaskCause>),
        found: Found<'_>,
    ) {
        let location = record.location;
        let Some(part) = self.part(location) else { return };
        let (team, is_created) =
            (part.team, part.created.take().is_some_and(|it| Some(it) == task));
        let created = task.filter(|_| is_created).and_then(|task| self.live.created(&task));
        let (Some((begin, at)), Some(cause)) = (created, cause) else { return };
        let waits = self.current(location).is_none_or(|strand| strand.wait.is_some());
        if waits || cause.time <= begin || cause.by.location == location {
            return;
        }
        let end = record.time;
        self.work(location, -span(begin, cause.time.min(end)));
        if self.teams.get(&team).is_some_and(|team| !team.is_lost) {
            let (scheduling, since, cause, over) = (Scheduling::Taskwait, begin, Some(cause), None);
            let visit = TaskWaitVisit { at, team, scheduling, begin, end, since, cause, over };
            found(Compound::TaskWait(visit));
        }
    }

    /// Tells that a task is created, and what it comes after.
    pub(super) fn tell_creation(
        &mut self,
        at: LocationId,
        serial: u64,
        (after, found): (Option<&After<i64>>, Found<'_>),
    ) {
        for (_, before) in after.iter().flat_map(|after| &after.tasks) {
            self.tell(at, TaskStep::After(*before), found);
        }
        self.tell(at, TaskStep::Create(serial), found);
        if after.is_some() {
            self.tell(at, TaskStep::Depends(serial), found);
        }
    }

    /// The tasks that this one comes after will tell it when they are done. The longest chain to
    /// its creation, and to the end of those that are done already, is `path`.
    pub(super) fn connect(&mut self, task: Instance, path: i64, after: After<i64>) {
        let mut not_done = 0;
        for (id, serial) in after.tasks {
            if let Some(before) = self.live.instance_mut((id, serial)) {
                before.depend.get_or_insert_default().next.push(task);
                not_done += 1;
            }
        }
        if let Some(created) = self.live.get_mut(&task.0) {
            if not_done > 0 {
                created.ready = None;
            }
            let depend = created.depend.get_or_insert_default();
            (depend.begin, depend.member_of, depend.before) = (path, after.member_of, not_done);
        }
    }

    /// A task is done: those that come after it have at least the length of its chain, and may
    /// begin if all tasks before them are done.
    pub(super) fn tell_next(&mut self, (by, done): (TaskId, &Ended), at: Done, found: Found<'_>) {
        let Some(depend) = &done.task.depend else { return };
        let Ended { origin, .. } = done;
        let has_idle = self.teams.get(&origin.team).is_some_and(|team| team.idle > 0);
        let path = done.task.strand.path;
        let siblings = origin.owner.and_then(|owner| self.strand_of(owner)?.siblings());
        if let Some(siblings) = siblings {
            siblings.done(&depend.member_of, &path);
        }
        for (id, serial) in &depend.next {
            let Some(next) = self.live.instance_mut((*id, *serial)) else { continue };
            let Some(depend) = &mut next.depend else { continue };
            // By the clock of another thread it may have begun and have worked already.
            let more = path.saturating_sub(depend.begin).max(0);
            depend.begin += more;
            next.strand.path = next.strand.path.saturating_add(more);
            depend.before = depend.before.saturating_sub(1);
            if depend.before == 0 && next.begun().is_none() {
                (next.ready, next.is_freed) = (Some(Moment::new(at.time, at.place)), true);
                let creator = self.live.created(id).map(|(_, place)| place.location);
                let is_last = |part: &Part| part.created == Some(*id);
                let part = creator.and_then(|it| self.parts.get(it.index())?.last());
                if has_idle || part.is_some_and(is_last) {
                    found(Compound::Awaited(Awaited::Freed { task: *id, by }));
                }
            }
        }
    }
}
