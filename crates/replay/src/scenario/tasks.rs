//! What tasks wait for: a task for its creation and for the ends of the tasks before it (`depend`
//! clauses), and those that wait for tasks for the last end. A task that is not done takes eight
//! bytes for each clock; so does an address of `depend` items, until the task that created their
//! tasks has waited for all of them.
//!
//! Tasks that exclude each other (`mutexinoutset`) keep their recorded order, as locks do.

use pompeii_model::Id;

use super::Scenarios;
use super::clocks::{Clocks, join};
use super::rules::Rules;
use super::threads::Part;
use crate::definitions::Definitions;
use crate::engine::record::{Rec, Scope, TaskId, What};
use crate::engine::tree::{NodeId, SharedTree};
use crate::task::depend::{After, End, Instance, Item, Member, Siblings};

/// A task, explicit or implicit.
#[derive(Debug, Default)]
pub(super) struct Strand {
    /// It is at a barrier, or waits for tasks.
    pub(super) waits: bool,
    /// The last end of its children.
    children: Option<Clocks>,
    /// The taskgroup in which it was created, and those that it has begun.
    groups: Vec<u64>,
    /// The tasks that it has created, if some of them have `depend` clauses.
    siblings: Option<Box<Siblings<Clocks>>>,
    /// What it waits for in a taskwait and in a target construct with `depend` clauses.
    awaited: Option<Box<Awaited>>,
    target: Option<Box<Awaited>>,
}

/// The tasks that a taskwait with `depend` clauses waits for.
#[derive(Debug)]
struct Awaited {
    /// Their numbers, as in [`Live::serial`].
    serials: Vec<u64>,
    /// The last end of one of them.
    end: Option<Clocks>,
}

/// Who created a task.
#[derive(Clone, Copy, Debug)]
enum Creator {
    /// The implicit task of a part, by the number of the part, on a location.
    Part(usize, u64),
    Task(TaskId),
}

/// An explicit task that is not done.
#[derive(Debug)]
pub(super) struct Live {
    /// No other task has it.
    serial: u64,
    /// When it was created and all tasks before it were done, or when it stopped last.
    ready: Clocks,
    /// The call path of its creation.
    created_at: NodeId,
    creator: Creator,
    /// The location on which it has begun.
    begun_on: Option<usize>,
    pub(super) strand: Strand,
    /// Its `depend` clauses, if it has some.
    depend: Option<Box<Depend>>,
}

/// What follows from the `depend` clauses of a task.
#[derive(Debug)]
struct Depend {
    member_of: Vec<Member>,
    /// Tasks that begin after this one.
    next: Vec<Instance>,
}

impl End for Clocks {
    fn join(&mut self, other: &Clocks) {
        Clocks::join(self, other);
    }
}

impl Strand {
    /// All tasks that it has created are done.
    pub(super) fn go_on_without_children(&mut self) {
        self.waits = false;
        self.siblings = None;
    }

    /// A taskwait is over. Returns what it has waited for.
    fn end_taskwait(&mut self) -> Option<Clocks> {
        if let Some(awaited) = self.awaited.take() {
            self.waits = false;
            return awaited.end;
        }
        self.go_on_without_children();
        self.children.clone()
    }

    /// A task that it has created is done.
    fn note_end(&mut self, serial: u64, depend: Option<&Depend>, clocks: &Clocks) {
        join(&mut self.children, clocks);
        if let (Some(siblings), Some(depend)) = (&mut self.siblings, depend) {
            siblings.done(&depend.member_of, clocks);
        }
        let awaited = self.awaited.iter_mut().chain(&mut self.target);
        let awaited = awaited.filter(|it| it.serials.contains(&serial));
        awaited.for_each(|awaited| join(&mut awaited.end, clocks));
    }
}

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
                    strand.groups.push(number);
                }
            }
            What::GroupEnd => {
                let number = self.strand(record).and_then(|strand| strand.groups.pop());
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
            Some(task) => self.tasks.get_mut(&task).map(|task| &mut task.strand),
        }
    }

    /// The task that has created others.
    fn creator(&mut self, creator: Creator) -> Option<&mut Strand> {
        match creator {
            Creator::Task(task) => self.tasks.get_mut(&task).map(|task| &mut task.strand),
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
        let before = strand.siblings.as_ref().map(|siblings| siblings.before(&items));
        let (tasks, end) = before.unwrap_or_default();
        let serials = tasks.into_iter().map(|(_, serial)| serial).collect();
        strand.awaited = Some(Box::new(Awaited { serials, end }));
    }

    /// What comes after a target construct with items comes after the tasks before that. The task
    /// that meets it waits for them, unless it does not wait for the construct.
    fn enter_target(&mut self, record: &Rec, is_deferred: bool) {
        let clocks = self.clocks(record);
        let Some(part) = self.innermost(record) else { return };
        let items = std::mem::take(&mut part.items);
        part.has_unknown = false;
        let siblings = self.strand(record).and_then(|strand| strand.siblings.as_mut());
        let after = siblings.map(|siblings| siblings.pass(&items, &clocks));
        let Some(After { tasks, end, member_of }) = after else { return };
        for (id, serial) in &tasks {
            let before = self.tasks.get_mut(id).filter(|before| before.serial == *serial);
            if let Some(depend) = before.and_then(|before| before.depend.as_mut()) {
                depend.member_of.extend(&member_of);
            }
        }
        if let Some(strand) = self.strand(record).filter(|_| !is_deferred) {
            let serials = tasks.into_iter().map(|(_, serial)| serial).collect();
            strand.target = Some(Box::new(Awaited { serials, end }));
        }
    }

    /// The construct has begun after the tasks before it. Up to the end of these it is no work, and
    /// the rest takes as long as recorded.
    fn leave_target(&mut self, (definitions, tree): (&Definitions, &SharedTree), record: &Rec) {
        let target = self.strand(record).and_then(|strand| strand.target.take());
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
                let group = strand.groups.last().copied()?;
                self.groups.get(&group).cloned()
            }
        }
    }

    fn create(&mut self, record: &Rec, task: TaskId) {
        let (mut ready, serial) = (self.clocks(record), self.new_number());
        let place = record.location.index();
        let Some(part) = self.locations[place].parts.last_mut() else { return };
        let items = std::mem::take(&mut part.items);
        (part.created, part.has_unknown) = (Some(task), false);
        let creator = match part.task {
            None => Creator::Part(place, part.number),
            Some(task) => Creator::Task(task),
        };
        let strand = self.strand(record);
        let group = strand.as_ref().and_then(|strand| strand.groups.last().copied());
        let siblings = strand.filter(|_| !items.is_empty()).map(|strand| &mut strand.siblings);
        let after = siblings.map(|it| it.get_or_insert_default().add((task, serial), &items));
        let depend = after.map(|After { tasks, end, member_of }| {
            end.iter().for_each(|end| ready.join(end));
            self.follow((task, serial), &tasks);
            Box::new(Depend { member_of, next: Vec::new() })
        });
        let strand = Strand { groups: group.into_iter().collect(), ..Strand::default() };
        let (created_at, begun_on) = (record.node, None);
        let live = Live { serial, ready, created_at, creator, begun_on, strand, depend };
        self.tasks.insert(task, live);
        self.sizes.create(&mut self.locations[place]);
    }

    /// A task begins after these, of which some may be done.
    fn follow(&mut self, next: Instance, before: &[Instance]) {
        for (id, serial) in before {
            let live = self.tasks.get_mut(id).filter(|before| before.serial == *serial);
            if let Some(depend) = live.and_then(|before| before.depend.as_mut()) {
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
        let executed = executed.and_then(|to| self.tasks.get(&to));
        let created_at = executed.filter(|it| it.depend.is_some()).map(|it| it.created_at);
        let clocks = self.clocks(record);
        let Some(part) = self.innermost(record) else { return };
        let from = std::mem::replace(&mut part.task, to);
        if let Some(from) = from.and_then(|task| self.tasks.get_mut(&task)) {
            from.ready = clocks;
        }
        match created_at {
            Some(node) => {
                self.waited(known, &Rec { node, ..*record }, since, (ready, Rules::wait));
            }
            None => self.go_on(known.1, record, ready),
        }
    }

    /// When a task can go on, which does so on a location.
    fn ready(&mut self, task: TaskId, record: &Rec) -> Option<Clocks> {
        let live = self.tasks.get_mut(&task)?;
        let is_begin = live.begun_on.is_none();
        live.begun_on.get_or_insert(record.location.index());
        let (mut ready, creator) = (live.ready.clone(), live.creator);
        let Some(depend) = live.depend.as_ref().filter(|_| is_begin) else { return Some(ready) };
        let member_of = depend.member_of.clone();
        let siblings = self.creator(creator).and_then(|strand| strand.siblings.as_ref());
        let last = siblings.and_then(|siblings| siblings.last_exclusive(&member_of));
        last.iter().for_each(|last| ready.join(last));
        Some(ready)
    }

    fn complete(&mut self, record: &Rec, task: TaskId) {
        let clocks = self.clocks(record);
        let Some(live) = self.tasks.remove(&task) else { return };
        let Live { serial, creator, mut strand, depend, .. } = live;
        if let Some(creator) = self.creator(creator) {
            creator.note_end(serial, depend.as_deref(), &clocks);
        }
        for next in depend.iter().flat_map(|depend| &depend.next) {
            self.free(*next, &clocks);
        }
        let own = strand.groups.split_off(strand.groups.len().min(1));
        own.iter().for_each(|group| drop(self.groups.remove(group)));
        if let Some(group) = strand.groups.first() {
            let mut ended = self.groups.remove(group);
            join(&mut ended, &clocks);
            ended.and_then(|ended| self.groups.insert(*group, ended));
        }
    }

    /// A task before another one is done.
    fn free(&mut self, (id, serial): Instance, done: &Clocks) {
        let Some(next) = self.tasks.get_mut(&id).filter(|next| next.serial == serial) else {
            return;
        };
        next.ready.join(done);
        // If both have the same time, the record of the begin can come first.
        let clocks = next.begun_on.map(|place| &mut self.locations[place].clocks);
        if let Some(clocks) = clocks.filter(|clocks| clocks.time == done.time) {
            clocks.join(done);
        }
    }
}
