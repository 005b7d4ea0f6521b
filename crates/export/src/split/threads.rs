//! The threads of a process and their tasks: what is written for each event, so that no region of
//! a suspended task is open. Tasks lie on top of the implicit task, whose regions stay open: a
//! barrier contains the tasks that its thread executes there, but no task contains another one.
//!
//! Suspended tasks belong to the process, because another thread may go on with an untied task.
//! Therefore the events of all threads of a process come in the order of time.

use std::collections::HashMap;
use std::mem;

use pompeii_index::TaskId;
use pompeii_otf2::event::{Enter, Event, Leave, OmpTaskSwitch, ThreadTaskSwitch};
use pompeii_otf2::reference::{CommRef, RegionRef};

use super::instances::Instances;

/// Stands for the team of a task in traces without teams: no communicator has this number.
const NO_TEAM: u32 = u32::MAX;

/// A record that is written for an event.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// The event as it is.
    Same,
    /// Another one in its place, with its attributes.
    Instead(Event),
    /// A further one, at this time.
    Added(u64, Event),
}

/// The threads of a process.
#[derive(Debug)]
pub struct Threads {
    threads: Vec<Thread>,
    suspended: HashMap<TaskId, Suspended>,
    /// For the last event; its memory is used again.
    steps: Vec<Step>,
    unbalanced: u64,
}

/// A thread.
#[derive(Clone, Debug, Default)]
struct Thread {
    part: Part,
    /// Parts of outer teams, whose tasks stay open: the inner team is their work.
    outer: Vec<Part>,
}

/// What a thread does in its innermost team.
#[derive(Clone, Debug, Default)]
struct Part {
    /// Open regions of the implicit task.
    implicit: Vec<RegionRef>,
    /// The explicit task that runs.
    task: Option<TaskId>,
    /// Its open regions.
    open: Vec<Open>,
    /// Explicit tasks that were suspended for others, the last one last.
    below: Vec<TaskId>,
    /// The task is not known here since that time: the next event tells whether it begins.
    unknown_since: Option<u64>,
}

/// An open region of an explicit task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Open {
    /// In the events; undefined if the task has no region there.
    region: RegionRef,
    /// As it is written.
    written: RegionRef,
}

/// A task that does not run.
#[derive(Debug)]
struct Suspended {
    /// The thread that suspended it.
    at: usize,
    open: Vec<Open>,
}

/// What an event says about a task.
enum Act {
    /// The thread goes on with this task, or with the implicit one.
    Switch(Option<TaskId>),
    /// This task is done.
    Complete(TaskId),
}

impl Threads {
    /// This number of threads, before their first event.
    pub fn new(threads: usize) -> Threads {
        Threads {
            threads: vec![Thread::default(); threads],
            suspended: HashMap::new(),
            steps: Vec::new(),
            unbalanced: 0,
        }
    }

    /// Takes an event of a thread. Returns what is written for it.
    pub fn event(
        &mut self,
        at: usize,
        (time, event): (u64, &Event),
        instances: &mut Instances,
    ) -> &[Step] {
        let Threads { threads, suspended, steps, unbalanced } = self;
        steps.clear();
        let Some(thread) = threads.get_mut(at) else { return &[] };
        Moment { at, time, thread, suspended, steps, unbalanced, instances }.event(event);
        &self.steps
    }

    /// Regions of tasks that were left in a wrong order, not at all, or without having been
    /// entered.
    pub fn unbalanced(&self) -> u64 {
        self.unbalanced
    }
}

/// An event of a thread, and what it changes.
struct Moment<'a> {
    at: usize,
    time: u64,
    thread: &'a mut Thread,
    suspended: &'a mut HashMap<TaskId, Suspended>,
    steps: &'a mut Vec<Step>,
    unbalanced: &'a mut u64,
    instances: &'a mut Instances,
}

impl Moment<'_> {
    fn event(&mut self, event: &Event) {
        if self.thread.part.unknown_since.is_some() && self.begin(event) {
            return;
        }
        match event {
            Event::Enter(it) => self.enter(it.region),
            Event::Leave(it) => self.leave(it.region),
            Event::ThreadTeamBegin(_) => {
                self.steps.push(Step::Same);
                let outer = mem::take(&mut self.thread.part);
                self.thread.outer.push(outer);
            }
            Event::ThreadTeamEnd(_) => self.end_team(),
            _ => match act(event) {
                Some(Act::Switch(to)) => self.switch(to),
                Some(Act::Complete(task)) => self.complete(task, event),
                None => self.steps.push(Step::Same),
            },
        }
    }

    /// The first event after a switch to a task that is not known here. Returns whether nothing
    /// else follows from the event.
    fn begin(&mut self, event: &Event) -> bool {
        // The values of counters precede the Enter that they belong to.
        let tells =
            !matches!(event, Event::Metric(_) | Event::BufferFlush(_) | Event::MeasurementOnOff(_));
        let part = &mut self.thread.part;
        let (true, Some(task)) = (tells, part.task) else { return false };
        let since = part.unknown_since.take().unwrap_or(self.time);
        if let Event::Enter(it) = event
            && self.instances.is_construct(it.region)
        {
            let written = self.instances.region(Some(it.region), task);
            self.thread.part.open.push(Open { region: it.region, written });
            self.steps.push(Step::Instead(Enter { region: written }.into()));
            return true;
        }
        // Another thread may have suspended it at the same time.
        let open = match self.suspended.remove(&task) {
            Some(suspended) => suspended.open,
            None => {
                let written = self.instances.region(None, task);
                vec![Open { region: RegionRef::UNDEFINED, written }]
            }
        };
        self.enter_again(since, open);
        false
    }

    fn enter(&mut self, region: RegionRef) {
        let part = &mut self.thread.part;
        match part.task {
            None => part.implicit.push(region),
            Some(_) => part.open.push(Open { region, written: region }),
        }
        self.steps.push(Step::Same);
    }

    fn leave(&mut self, region: RegionRef) {
        let part = &mut self.thread.part;
        if part.task.is_none() {
            self.leave_implicit(region);
            self.steps.push(Step::Same);
            return;
        }
        let Some(place) = part.open.iter().rposition(|open| open.region == region) else {
            self.leave_unknown(region);
            return;
        };
        self.leave_down_to(place + 1);
        let written = self.thread.part.open.pop().map_or(region, |open| open.written);
        self.steps.push(match written == region {
            true => Step::Same,
            false => Step::Instead(Leave { region: written }.into()),
        });
    }

    /// Returns whether the implicit task had this region open.
    fn leave_implicit(&mut self, region: RegionRef) -> bool {
        let implicit = &mut self.thread.part.implicit;
        let place = implicit.iter().rposition(|open| *open == region);
        implicit.truncate(place.unwrap_or(implicit.len()));
        place.is_some()
    }

    /// The task does not have this region open. If the implicit task has, the thread is not in the
    /// task any more: the program was killed, and its open regions are left.
    fn leave_unknown(&mut self, region: RegionRef) {
        match self.leave_implicit(region) {
            true => self.leave_down_to(0),
            false => *self.unbalanced += 1,
        }
        self.steps.push(Step::Same);
    }

    /// Leaves regions that the task must not have open any more, the innermost first.
    fn leave_down_to(&mut self, depth: usize) {
        let open = self.thread.part.open.get(depth..).unwrap_or_default();
        *self.unbalanced += open.iter().filter(|open| !open.region.is_undefined()).count() as u64;
        self.write_leaves(depth);
        self.thread.part.open.truncate(depth);
    }

    fn write_leaves(&mut self, depth: usize) {
        let open = self.thread.part.open.get(depth..).unwrap_or_default();
        let leave = |open: &Open| Event::from(Leave { region: open.written });
        self.steps.extend(open.iter().rev().map(|open| Step::Added(self.time, leave(open))));
    }

    fn end_team(&mut self) {
        self.leave_down_to(0);
        self.steps.push(Step::Same);
        if let Some(outer) = self.thread.outer.pop() {
            self.thread.part = outer;
        }
    }

    /// The thread goes on with another task. It may be there already, because a task was done.
    fn switch(&mut self, to: Option<TaskId>) {
        if to.is_some() && self.thread.part.task == to {
            return;
        }
        self.suspend(to);
        self.steps.push(Step::Same);
        if let Some(task) = to {
            self.resume(task);
        }
    }

    /// Leaves the regions of the task that runs.
    fn suspend(&mut self, to: Option<TaskId>) {
        self.write_leaves(0);
        let part = &mut self.thread.part;
        let (task, open) = (part.task.take(), mem::take(&mut part.open));
        match to.map(|to| part.below.iter().position(|below| *below == to)) {
            None => part.below.clear(),
            Some(Some(place)) => part.below.truncate(place),
            Some(None) => part.below.extend(task),
        }
        if let Some(task) = task {
            self.suspended.insert(task, Suspended { at: self.at, open });
        }
    }

    /// Enters the regions of a task again.
    fn resume(&mut self, task: TaskId) {
        let part = &mut self.thread.part;
        part.below.retain(|below| *below != task);
        part.task = Some(task);
        match self.suspended.remove(&task) {
            Some(suspended) => self.enter_again(self.time, suspended.open),
            None => part.unknown_since = Some(self.time),
        }
    }

    fn enter_again(&mut self, since: u64, open: Vec<Open>) {
        let enter = |open: &Open| Event::from(Enter { region: open.written });
        self.steps.extend(open.iter().map(|open| Step::Added(since, enter(open))));
        self.thread.part.open = open;
    }

    /// A task is done: the thread is back in the task that it had suspended for it. Some writers
    /// record the switch back later, when the barrier or taskwait ends.
    fn complete(&mut self, task: TaskId, event: &Event) {
        if self.thread.part.task != Some(task) {
            // The event of a detached task is fulfilled after its body has ended.
            self.suspended.remove(&task);
            self.steps.push(Step::Same);
            return;
        }
        self.leave_down_to(0);
        self.steps.push(Step::Same);
        self.thread.part.task = None;
        let back = self.thread.part.below.last().copied();
        let back = back.filter(|back| {
            self.suspended.get(back).is_some_and(|suspended| suspended.at == self.at)
        });
        if let Some(back) = back {
            self.steps.push(Step::Added(self.time, switch_to(back, event)));
            self.resume(back);
        }
    }
}

/// What an event says about a task; `None` for most events.
fn act(event: &Event) -> Option<Act> {
    let task = |team: CommRef, thread, number| TaskId { team: team.0, thread, number };
    let old = |id: u64| TaskId { team: NO_TEAM, thread: (id >> 32) as u32, number: id as u32 };
    let switch = |to: TaskId| Act::Switch((to.number != 0).then_some(to));
    Some(match event {
        Event::ThreadTaskSwitch(it) => {
            switch(task(it.thread_team, it.creating_thread, it.generation_number))
        }
        Event::ThreadTaskComplete(it) => {
            Act::Complete(task(it.thread_team, it.creating_thread, it.generation_number))
        }
        Event::OmpTaskSwitch(it) => switch(old(it.task_id)),
        Event::OmpTaskComplete(it) => Act::Complete(old(it.task_id)),
        _ => return None,
    })
}

/// The switch to a task, in records of the kind of this one.
fn switch_to(task: TaskId, like: &Event) -> Event {
    let TaskId { team, thread, number } = task;
    match like {
        Event::OmpTaskComplete(_) => {
            OmpTaskSwitch { task_id: u64::from(thread) << 32 | u64::from(number) }.into()
        }
        _ => ThreadTaskSwitch {
            thread_team: CommRef(team),
            creating_thread: thread,
            generation_number: number,
        }
        .into(),
    }
}
