//! What tasks wait for: a task for its creation and for the ends of the tasks before it (`depend`
//! clauses), and those that wait for tasks for the last end. What is kept of tasks that are not
//! done is in `live.rs`. An address of `depend` items takes eight bytes for each clock, until the
//! task that created their tasks has waited for all of them.
//!
//! Tasks that exclude each other (`mutexinoutset`) keep their recorded order, as locks do.

use pompeii_model::Id;

use super::Scenarios;
use super::clocks::{Clocks, join};
use super::live::{Creator, Done, Origin};
use super::rules::Rules;
use super::strand::{Awaited, Depend, Strand};
use super::threads::Part;
use crate::definitions::Definitions;
use crate::engine::record::{Rec, Scope, TaskId, What};
use crate::engine::tree::SharedTree;
use crate::task::depend::{After, Instance, Item};

impl Scenarios {
    pub(super) fn task_record(&mut self, known: (&Definitions, &SharedTree), record: &Rec) {
        match record.what {
            What::Depend { kind, address } => {
                if let Some(part) = self.innermost(record) {
                    part.items.push(Item { kind, address });
                }
            }
            What::DependUnknown => {
                if let Some(part) = self.innermost(record) {
                    part.has_unknown = true;
                }
            }
            What::TargetEnter { is_deferred } => self.enter_target(record, is_deferred),
            What::TargetLeave => self.leave_target(known, record),
            What::TaskCreate(task) => self.create(record, task),
            What::TasksExpected(_) => {
                if let Some(part) = self.innermost(record) {
                    part.created = None;
                }
            }
            What::TaskSwitch { task, .. } => self.switch(known, record, task),
            What::TaskComplete(task) => self.complete(record, task),
            What::TaskWaitEnter(_) => self.begin_task_wait(record),
            What::TaskWaitLeave(scope) => {
                let moment = self.end_wait(record, scope);
                self.go_on(known.1, record, moment);
            }
            What::GroupBegin => {
                let number = self.new_number();
                if let Some(strand) = self.strand(record) {
                    strand.more().groups.push(number);
                }
            }
            What::GroupEnd => {
                let more = self.strand(record).and_then(|strand| strand.more.as_mut());
                let number = more.and_then(|more| more.groups.pop());
                number.map(|number| self.groups.remove(&number));
            }
            _ => {}
        }
    }

    fn innermost(&mut self, record: &Rec) -> Option<&mut Part> {
        self.locations[record.location.index()].parts.last_mut()
    }

    /// The task that runs on a location; `None` if it is done.
    fn strand(&mut self, record: &Rec) -> Option<&mut Strand> {
        let part = self.locations[record.location.index()].parts.last_mut()?;
        match part.task {
            None => Some(&mut part.implicit),
            Some(task) => self.tasks.task_mut(&task).map(|task| &mut task.strand),
        }
    }

    /// The innermost taskgroup in which the task is that runs on a location: one that it has begun
    /// itself, or that in which it was created.
    fn group(&mut self, record: &Rec) -> Option<u64> {
        let more = self.strand(record)?.more.as_ref();
        let own = more.and_then(|more| more.groups.last().copied());
        let task = self.innermost(record).and_then(|part| part.task);
        own.or_else(|| self.tasks.origin(&task?)?.group)
    }

    /// The task that has created others.
    fn creator(&mut self, creator: Creator) -> Option<&mut Strand> {
        match creator {
            Creator::Task(task) => self.tasks.task_mut(&task).map(|task| &mut task.strand),
            Creator::Part(place, number) => {
                let mut parts = self.locations[place].parts.iter_mut();
                parts.find(|part| part.number == number).map(|part| &mut part.implicit)
            }
        }
    }

    pub(super) fn begin_wait(&mut self, record: &Rec) {
        if let Some(strand) = self.strand(record) {
            strand.waits = true;
        }
    }

    /// A taskwait with items waits for the tasks before only, as far as they are known.
    fn begin_task_wait(&mut self, record: &Rec) {
        self.begin_wait(record);
        let Some(part) = self.innermost(record) else { return };
        let items = std::mem::take(&mut part.items);
        if !std::mem::take(&mut part.has_unknown) && items.is_empty() {
            return;
        }
        let Some(strand) = self.strand(record) else { return };
        let before = strand.siblings().map(|siblings| siblings.before(&items));
        let (tasks, end) = before.unwrap_or_default();
        let serials = tasks.into_iter().map(|(_, serial)| serial).collect();
        strand.more().awaited = Some(Box::new(Awaited { serials, end }));
    }

    /// What comes after a target construct with items comes after the tasks before that. The task
    /// that meets it waits for them, unless it does not wait for the construct.
    fn enter_target(&mut self, record: &Rec, is_deferred: bool) {
        let clocks = self.clocks(record);
        let Some(part) = self.innermost(record) else { return };
        let items = std::mem::take(&mut part.items);
        part.has_unknown = false;
        let siblings = self.strand(record).and_then(Strand::siblings);
        let after = siblings.map(|siblings| siblings.pass(&items, &clocks));
        let Some(After { tasks, end, member_of }) = after else { return };
        for (id, serial) in &tasks {
            if let Some(depend) = self.tasks.depend_mut(id, *serial) {
                depend.member_of.extend(&member_of);
            }
        }
        if let Some(strand) = self.strand(record).filter(|_| !is_deferred) {
            let serials = tasks.into_iter().map(|(_, serial)| serial).collect();
            strand.more().target = Some(Box::new(Awaited { serials, end }));
        }
    }

    /// The construct has begun after the tasks before it. Up to the end of these it is no work, and
    /// the rest takes as long as recorded.
    fn leave_target(&mut self, (definitions, tree): (&Definitions, &SharedTree), record: &Rec) {
        let more = self.strand(record).and_then(|strand| strand.more.as_mut());
        let target = more.and_then(|more| more.target.take());
        let Some(end) = target.and_then(|target| target.end) else { return };
        let location = &mut self.locations[record.location.index()];
        let since = location.last.min(record.time);
        let waited = end.time.clamp(since, record.time) - since;
        let taken_back = [(record.node, -i64::try_from(waited).unwrap_or(i64::MAX))];
        self.rules.work(tree, (record.location, &mut location.clocks), &taken_back);
        self.sizes.work((definitions, tree), location, &taken_back);
        location.clocks.time = since;
        self.go_on(tree, record, Some(end));
    }

    /// What the task that runs has waited for.
    fn end_wait(&mut self, record: &Rec, scope: Scope) -> Option<Clocks> {
        let strand = self.strand(record)?;
        match scope {
            Scope::Children => strand.end_taskwait(),
            Scope::Group => {
                strand.waits = false;
                let group = self.group(record)?;
                self.groups.get(&group).cloned()
            }
        }
    }

    fn create(&mut self, record: &Rec, task: TaskId) {
        let (serial, place) = (self.new_number(), record.location.index());
        let Some(part) = self.locations[place].parts.last_mut() else { return };
        let items = std::mem::take(&mut part.items);
        (part.created, part.has_unknown) = (Some(task), false);
        let creator = match part.task {
            None => Creator::Part(place, part.number),
            Some(task) => Creator::Task(task),
        };
        let origin = Origin { creator, group: self.group(record) };
        let strand = self.strand(record).filter(|_| !items.is_empty());
        let siblings = strand.map(|strand| strand.more().siblings.get_or_insert_default());
        let after = siblings.map(|siblings| siblings.add((task, serial), &items));
        if let Some(after) = &after {
            self.follow((task, serial), &after.tasks);
        }
        self.tasks.create(task, (place, &origin), &self.locations[place].clocks);
        if let Some(After { end, member_of, .. }) = after {
            end.iter().for_each(|end| self.tasks.join_ready(&task, end));
            let depend = Depend::new(serial, record.node, member_of);
            if let Some(created) = self.tasks.task_mut(&task) {
                created.depend = Some(Box::new(depend));
            }
        }
        self.sizes.create(&mut self.locations[place]);
    }

    /// A task begins after these, of which some may be done.
    fn follow(&mut self, next: Instance, before: &[Instance]) {
        for (id, serial) in before {
            if let Some(depend) = self.tasks.depend_mut(id, *serial) {
                depend.next.push(next);
            }
        }
    }

    /// The location goes on with another task, and has waited for it if it waited before. It has
    /// also waited for it since its creation if it executes the task at once, but not before others
    /// were done.
    fn switch(&mut self, known: (&Definitions, &SharedTree), record: &Rec, to: Option<TaskId>) {
        let ready = to.and_then(|task| self.ready(task, record));
        let location = &self.locations[record.location.index()];
        let (since, waits) = (location.last, location.waits(&self.tasks));
        let created = self.innermost(record).and_then(|part| part.created.take());
        let executed = to.filter(|to| created == Some(*to) && !waits);
        let executed = executed.and_then(|to| self.tasks.task(&to)?.depend.as_ref());
        let created_at = executed.map(|depend| depend.created_at);
        let Some(part) = self.innermost(record) else { return };
        if let Some(from) = std::mem::replace(&mut part.task, to) {
            self.tasks.set_ready(&from, &self.locations[record.location.index()].clocks);
        }
        match created_at {
            Some(node) => {
                self.waited(known, &Rec { node, ..*record }, since, (ready, Rules::wait));
            }
            None => self.go_on(known.1, record, ready),
        }
    }

    /// When a task can go on, which does so on a location.
    fn ready(&mut self, id: TaskId, record: &Rec) -> Option<Clocks> {
        let mut ready = self.tasks.ready(&id)?;
        let task = self.tasks.task_mut(&id)?;
        let is_begin = task.begun_on.is_none();
        task.begun_on.get_or_insert(record.location.0);
        let Some(depend) = task.depend.as_ref().filter(|_| is_begin) else { return Some(ready) };
        let member_of = depend.member_of.clone();
        let creator = self.tasks.origin(&id).map(|origin| origin.creator);
        let siblings = creator.and_then(|creator| self.creator(creator)?.siblings());
        let last = siblings.and_then(|siblings| siblings.last_exclusive(&member_of));
        last.iter().for_each(|last| ready.join(last));
        Some(ready)
    }

    fn complete(&mut self, record: &Rec, task: TaskId) {
        let Some(Done { origin, task }) = self.tasks.remove(&task) else { return };
        let clocks = self.clocks(record);
        if let Some(creator) = self.creator(origin.creator) {
            creator.note_end(task.depend.as_deref(), &clocks);
        }
        for next in task.depend.iter().flat_map(|depend| &depend.next) {
            self.free(*next, &clocks);
        }
        for group in task.strand.more.iter().flat_map(|more| &more.groups) {
            self.groups.remove(group);
        }
        if let Some(group) = origin.group {
            let mut ended = self.groups.remove(&group);
            join(&mut ended, &clocks);
            ended.and_then(|ended| self.groups.insert(group, ended));
        }
    }

    /// A task before another one is done.
    fn free(&mut self, (id, serial): Instance, done: &Clocks) {
        if self.tasks.depend_mut(&id, serial).is_none() {
            return;
        }
        self.tasks.join_ready(&id, done);
        // If both have the same time, the record of the begin can come first.
        let begun_on = self.tasks.task(&id).and_then(|next| next.begun_on);
        let clocks = begun_on.map(|place| &mut self.locations[place as usize].clocks);
        if let Some(clocks) = clocks.filter(|clocks| clocks.time == done.time) {
            clocks.join(done);
        }
    }
}
