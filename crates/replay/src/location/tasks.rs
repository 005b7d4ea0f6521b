//! Explicit tasks on a location. Each has a call stack of its own, whose call paths lie below the
//! root of tasks. While a task runs, the time of its thread is counted there; the time of the
//! fragment is also noted below the scheduling point that executes the task.

use pompeii_model::RegionId;
use pompeii_otf2::event::Event;
use pompeii_otf2::value::AttributeValue;

use super::teams::Part;
use super::{Context, Location};
use crate::definitions::{Class, Definitions};
use crate::engine::instances::{Executed, Instance};
use crate::engine::process::Missing;
use crate::engine::record::{TaskId, What};
use crate::engine::strand::{Frame, Moved, Strand};
use crate::engine::tree::{Local, LocalTree};

impl Location {
    /// The thread goes on with another task. It may be there already, because a task was done.
    ///
    /// A task that other threads may go on with waits until all of them have come to this time,
    /// because one of them may have had it in between.
    pub(super) fn switch(
        &mut self,
        context: &Context<'_>,
        time: u64,
        to: TaskId,
    ) -> Result<(), Missing> {
        let to = (to.generation != 0).then_some(to);
        let is_new = self.part().task != to;
        if is_new && self.may_have_moved(context, to) && !self.takes_turn() {
            return Err(Missing::Turn);
        }
        self.account(time);
        if self.created == to {
            self.created = None;
        }
        if self.part().task != to {
            self.end_fragment(time);
            self.suspend(to);
            self.resume(context, to);
            self.note_switch();
        }
        Ok(())
    }

    /// Whether a task is suspended here that other threads may have gone on with meanwhile.
    fn may_have_moved(&self, context: &Context<'_>, task: Option<TaskId>) -> bool {
        let strand = task.and_then(|task| self.suspended.get(&task));
        let construct = strand.and_then(|strand| strand.frames.first());
        construct.is_some_and(|it| context.definitions.is_untied(self.tree.region(it.node)))
    }

    fn takes_turn(&mut self) -> bool {
        std::mem::take(&mut self.has_turn) || std::mem::take(&mut self.goes_on_without)
    }

    /// All other locations of the process have come to the time of the next event.
    pub fn give_turn(&mut self) {
        self.has_turn = true;
    }

    fn note_switch(&mut self) {
        let scheduling = self.scheduling_point();
        let Part { team, task, .. } = *self.part();
        let visit = self.scheduling_visit();
        self.record((scheduling, visit), What::TaskSwitch { team, task });
    }

    /// The next event has attributes. Those of the creation of a task, or of the begin of a
    /// taskwait or a target construct, may be the items of its `depend` clauses; others are
    /// ignored.
    #[cold]
    pub fn attributes(
        &mut self,
        definitions: &Definitions,
        event: &Event,
        attributes: &[AttributeValue],
    ) {
        self.items.clear();
        let has_items = match event {
            Event::ThreadTaskCreate(_) | Event::OmpTaskCreate(_) => true,
            Event::Enter(enter) => {
                let class = definitions.class(definitions.region(enter.region));
                matches!(class, Class::Taskwait | Class::Target)
            }
            _ => false,
        };
        if has_items {
            let items = attributes.iter().filter_map(|it| definitions.depend.item(it));
            self.items.extend(items);
        }
    }

    /// Writes the items of the present event down.
    pub(super) fn record_items(&mut self) {
        for item in std::mem::take(&mut self.items) {
            self.record_here(item);
        }
    }

    /// The location meets a target construct. Without items no task depends on it.
    pub(super) fn enter_target(&mut self, is_deferred: bool) {
        if !self.items.is_empty() {
            self.record_items();
            self.record_here(What::TargetEnter { is_deferred });
        }
    }

    /// A task has been created. If the next task of the thread is not this one, others may run it.
    pub(super) fn create(&mut self, time: u64, task: TaskId) {
        self.account(time);
        self.record_items();
        self.record_here(What::TaskCreate(task));
        self.created = Some(task);
    }

    /// The creation of a task ends; a task that its creator executes at once is over.
    pub(super) fn leave_creation(&mut self) {
        if self.created.take().is_some() {
            self.expect_tasks();
        }
    }

    /// The team may have tasks that other threads execute.
    pub(super) fn expect_tasks(&mut self) {
        if let Some(team) = self.part().team {
            self.record_here(What::TasksExpected(team));
        }
    }

    /// Keeps the call stack of the current task.
    fn suspend(&mut self, to: Option<TaskId>) {
        let strand = std::mem::replace(&mut self.strand, Strand::at(None));
        let part = self.part();
        let task = part.task.take();
        // Back in the implicit task or one that was suspended for this one: any thread can go on
        // with this one.
        let known = to.map(|to| part.below.iter().position(|below| *below == to));
        match known {
            None => part.below.clear(),
            Some(Some(place)) => part.below.truncate(place),
            Some(None) => part.below.extend(task),
        }
        match task {
            None => part.implicit = Some(strand),
            Some(task) => drop(self.suspended.insert(task, strand)),
        }
    }

    /// Goes on with a task that was suspended here, or is not known here.
    fn resume(&mut self, context: &Context<'_>, to: Option<TaskId>) {
        let part = self.part();
        part.below.retain(|below| Some(*below) != to);
        part.task = to;
        let Some(task) = to else {
            let implicit = part.implicit.take();
            self.strand = implicit.unwrap_or(Strand::at(Some(LocalTree::PROGRAM)));
            return;
        };
        match self.suspended.remove(&task) {
            Some(strand) => {
                self.strand = strand;
                self.begin_fragment(context, self.now);
            }
            None => {
                self.unknown_task = Some(task);
                self.is_between = true;
            }
        }
    }

    /// The call path of the implicit task.
    fn scheduling_point(&mut self) -> Local {
        let implicit = self.part().implicit.as_ref().map(|strand| strand.node);
        implicit.unwrap_or(self.strand.node).unwrap_or(LocalTree::PROGRAM)
    }

    /// A fragment of the current task has begun at `since`, below the scheduling point.
    fn begin_fragment(&mut self, context: &Context<'_>, since: u64) {
        let Some(construct) = self.strand.frames.first() else { return };
        let region = self.tree.region(construct.node);
        self.begin_fragment_of(context, region, since);
    }

    fn begin_fragment_of(&mut self, context: &Context<'_>, region: RegionId, since: u64) {
        let scheduling = self.scheduling_point();
        let node = self.tree.child(context.tree, (scheduling, region), since);
        let fragments = u64::from(self.within.has(since));
        self.tree.values(node).fragments += fragments;
        self.count_instance(node, Executed { ticks: 0, fragments });
        self.part().fragment = Some((node, since));
    }

    /// The fragment of the task that runs ends.
    pub(super) fn end_fragment(&mut self, time: u64) {
        if let Some((node, since)) = self.part().fragment.take() {
            let ticks = self.within.ticks(since, time);
            let values = self.tree.values(node);
            values.task_ticks = values.task_ticks.saturating_add(ticks);
            self.count_instance(node, Executed { ticks, fragments: 0 });
            self.fragment_row(since, time);
        }
    }

    /// Counts a part of the current task as that of its instance.
    fn count_instance(&mut self, node: Local, more: Executed) {
        let (task, place) = (self.part().task, (self.tree.shared(node), self.id));
        let construct = self.tree.region(node);
        if let (Some(instances), Some(task)) = (&mut self.instances, task) {
            instances.add((construct, Instance::of(task)), place, more);
        }
    }

    /// The task that was switched to begins, with the region of its construct.
    pub(super) fn begin_task(&mut self, context: &Context<'_>, region: RegionId) {
        self.unknown_task = None;
        self.strand = Strand::at(Some(LocalTree::TASKS));
        let task = self.part().task;
        if let (Some(instances), Some(task)) = (&mut self.instances, task) {
            instances.begin(region, Instance::of(task));
        }
        self.begin_fragment_of(context, region, self.now);
    }

    /// The task that was switched to has been suspended by another thread.
    pub(super) fn adopt_task(
        &mut self,
        context: &Context<'_>,
        task: TaskId,
    ) -> Result<(), Missing> {
        let moved = self.arrived.take_if(|(arrived, _)| *arrived == task).map(|(_, moved)| moved);
        if moved.is_none() && !std::mem::take(&mut self.goes_on_without) {
            return Err(Missing::Task(task));
        }
        self.unknown_task = None;
        self.gaps.unknown_tasks += u64::from(moved.is_none());
        self.strand = Strand::at(Some(LocalTree::TASKS));
        if let Some(moved) = moved {
            let mut local = |node| self.tree.import(context.tree, node);
            for frame in moved.frames {
                let (node, outer) = (local(frame.node), local(frame.outer));
                let Frame { since, visit, .. } = frame;
                self.strand.frames.push(Frame { node, outer, since, visit });
            }
            self.strand.node = moved.node.map(local);
            self.strand.first = moved.first;
        }
        self.begin_fragment(context, self.now);
        Ok(())
    }

    /// The task that the location has missed, from another one.
    pub fn receive_task(&mut self, task: TaskId, moved: Moved) {
        self.arrived = Some((task, moved));
    }

    /// Hands out the call stack of a task that is suspended here.
    pub fn give_task(&mut self, task: TaskId) -> Option<Moved> {
        let strand = self.suspended.remove(&task)?;
        Some(Moved::new(&strand, &self.tree))
    }

    /// The call path of the construct of the current task.
    fn construct(&mut self, context: &Context<'_>) -> Local {
        let fragment = self.part().fragment.map(|(node, _)| self.tree.region(node));
        match fragment {
            Some(region) => self.tree.child(context.tree, (LocalTree::TASKS, region), self.now),
            None => LocalTree::TASKS,
        }
    }

    /// The current task is done: the thread is back in the task that it had suspended for it. The
    /// switch may have its event later: Score-P writes it when the barrier ends.
    pub(super) fn complete(&mut self, context: &Context<'_>, time: u64, task: TaskId) {
        self.account(time);
        let construct = self.construct(context);
        let visit = self.strand.first;
        if context.definitions.is_untied(self.tree.region(construct)) {
            self.record((construct, visit), What::TaskUntied(task));
        }
        self.record((construct, visit), What::TaskComplete(task));
        if self.part().task != Some(task) {
            self.gaps.unknown_tasks += 1;
            return;
        }
        self.gaps.open_regions += self.strand.frames.len() as u64;
        self.end_fragment(time);
        self.close_to(0);
        let back_in = self.part().below.last().copied();
        self.resume(context, back_in.filter(|task| self.suspended.contains_key(task)));
        self.note_switch();
    }
}
