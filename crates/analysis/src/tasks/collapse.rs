//! Makes the graph of very many tasks smaller, so that its memory has a limit. Small tasks that
//! belong together become one task, or a part of their creator, in three ways:
//!
//! * A task that has waited for all tasks below it becomes one with these (a subtree).
//! * So does a part of a task that begins and ends when the task has waited for all that it has
//!   created: its own thread executes the tasks of this part.
//! * Tasks that the same task has created one after the other, while it only worked, become one (a
//!   sequence). The new task is created where the last of them was.
//!
//! The result has two times. Work and number of tasks are those of all its tasks, and with the
//! longest chain through them a thread for each task takes as long as before. So the time of the
//! whole graph on one thread and its longest chain do not change. In a simulation on some threads,
//! one thread executes all of it. That is a schedule which the tasks themselves can have,
//! too, but a program may have a better one: each thread could execute a part of the subtree.
//!
//! Only tasks that are done are put together, and only if they take less than a limit in all. Tasks
//! of a part or a sequence must not be named by others that come after them (`depend` clauses).

use pompeii_replay::hash::Table;

use super::graph::{Step, TaskGraph};

/// What may be put together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Collapse {
    /// Tasks that one thread executes in at most this time. For those of a sequence, the time of
    /// their creator between them counts, too.
    pub limit_ticks: u64,
    /// What it costs a thread to begin a task, in ticks. It decides which of several chains is the
    /// longest.
    pub start_ticks: u64,
}

/// What is known of tasks that are not in the graph yet, because they are not done.
#[derive(Debug, Default)]
pub(super) struct Open<'a> {
    /// Their steps up to now.
    pub steps: Vec<&'a mut Vec<Step>>,
    /// Their numbers, in ascending order; implicit tasks have none.
    pub numbers: Vec<u32>,
    /// Explicit tasks that others may come after which they create later.
    pub named: Vec<u32>,
}

/// A smaller graph.
#[derive(Debug)]
pub(super) struct Smaller {
    /// The graph.
    pub graph: TaskGraph,
    /// By the number that an explicit task had.
    numbers: Vec<u32>,
}

impl Smaller {
    /// The number of an explicit task which had this one; `None` if it is no task of its own any
    /// more.
    pub fn number(&self, old: u32) -> Option<u32> {
        self.numbers.get(old as usize).copied().filter(|new| *new != NONE)
    }
}

/// No task.
const NONE: u32 = u32::MAX;

impl Collapse {
    /// Puts tasks of a graph together. The steps of open tasks get the new numbers.
    pub fn run(self, mut graph: TaskGraph, open: Open<'_>) -> Smaller {
        // A task has a larger number than its creator, so the tasks below it come first. Where that
        // is not so, because records have the same time, the next call puts them together.
        for task in (0..graph.explicit()).rev() {
            if let Some(unit) = self.subtree(&graph, task) {
                graph.replace(task, &unit.steps());
            }
        }
        let mut rewriting = Rewriting::new(self, &graph);
        rewriting.find_named(open.named.iter().map(|task| Step::After(*task)));
        rewriting.find_named(open.steps.iter().flat_map(|steps| steps.iter().copied()));
        for task in &open.numbers {
            rewriting.number(*task);
        }
        for steps in open.steps {
            *steps = rewriting.rewrite(std::mem::take(steps).into_iter());
        }
        rewriting.copy();
        Smaller { graph: rewriting.new, numbers: rewriting.numbers }
    }

    /// A task with the tasks below it as one, if it has waited for all of them, and each of those
    /// that it has created has none below it.
    fn subtree(self, graph: &TaskGraph, task: u32) -> Option<Unit> {
        let mut below = Below::new(self);
        for step in graph.steps_from(graph.begin(task)?) {
            below.take(step, graph)?;
            if !below.is_small() {
                return None;
            }
        }
        (below.has_tasks() && below.is_over()).then_some(below.own)
    }
}

/// A time of tasks: their work, and how many of them begin in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Length {
    ticks: u64,
    starts: u64,
}

impl Length {
    fn cost(self, start_ticks: u64) -> u64 {
        self.ticks.saturating_add(self.starts.saturating_mul(start_ticks))
    }

    fn then(self, other: Length) -> Length {
        let ticks = self.ticks.saturating_add(other.ticks);
        Length { ticks, starts: self.starts.saturating_add(other.starts) }
    }

    fn longer(self, other: Length, start_ticks: u64) -> Length {
        if other.cost(start_ticks) > self.cost(start_ticks) { other } else { self }
    }
}

/// The begin of a task that another thread may execute.
const START: Length = Length { ticks: 0, starts: 1 };

/// A task without tasks below it, or several that were put together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Unit {
    /// On one thread.
    alone: Length,
    /// With a thread for each task.
    chain: Length,
}

impl Unit {
    /// Adds a step; `None` for one that has to do with other tasks.
    fn add(&mut self, step: Step) -> Option<()> {
        let (of, more) = match step {
            Step::Work(ticks) => {
                let work = Length { ticks, starts: 0 };
                self.alone = self.alone.then(work);
                (&mut self.chain, work)
            }
            Step::Alone(ticks) => (&mut self.alone, Length { ticks, starts: 0 }),
            Step::AloneStarts(starts) => (&mut self.alone, Length { ticks: 0, starts }),
            Step::Chain(ticks) => (&mut self.chain, Length { ticks, starts: 0 }),
            Step::ChainStarts(starts) => (&mut self.chain, Length { ticks: 0, starts }),
            _ => return None,
        };
        *of = of.then(more);
        Some(())
    }

    fn steps(self) -> Vec<Step> {
        let Unit { alone, chain } = self;
        let all = [
            Step::Alone(alone.ticks),
            Step::AloneStarts(alone.starts),
            Step::Chain(chain.ticks),
            Step::ChainStarts(chain.starts),
        ];
        let is_there = |step: &Step| {
            !matches!(
                step,
                Step::Alone(0) | Step::AloneStarts(0) | Step::Chain(0) | Step::ChainStarts(0)
            )
        };
        all.into_iter().filter(is_there).collect()
    }
}

/// A task that is done and has no task below it.
fn unit(graph: &TaskGraph, task: u32) -> Option<Unit> {
    let mut unit = Unit::default();
    for step in graph.steps_from(graph.begin(task)?) {
        match step {
            // It has nothing to wait for.
            Step::Taskwait | Step::GroupBegin | Step::GroupEnd => {}
            step => unit.add(step)?,
        }
    }
    Some(unit)
}

/// What is known below a task while its steps are read.
struct Below {
    how: Collapse,
    /// The task up to now, with the tasks below it.
    own: Unit,
    /// The last end of the tasks that it has not waited for, by its open taskgroups: those outside
    /// of them first.
    groups: Vec<Option<Length>>,
    /// The ends of all tasks that it has created.
    ends: Table<u32, Length>,
    /// The last end of those that the next one comes after.
    before: Length,
}

impl Below {
    /// The next step of the task; `None` if it cannot be put together.
    fn take(&mut self, step: Step, graph: &TaskGraph) -> Option<()> {
        match step {
            Step::Create(child) => self.create((child, unit(graph, child)?), false)?,
            Step::Execute(child) => self.create((child, unit(graph, child)?), true)?,
            Step::After(other) => self.come_after(other)?,
            Step::Taskwait => self.taskwait(),
            Step::GroupBegin => self.groups.push(None),
            Step::GroupEnd => self.end_group(),
            other => self.own.add(other)?,
        }
        Some(())
    }

    fn is_small(&self) -> bool {
        self.own.alone.cost(self.how.start_ticks) <= self.how.limit_ticks
    }

    fn has_tasks(&self) -> bool {
        !self.ends.is_empty()
    }

    /// It has waited for all that it has created.
    fn is_over(&self) -> bool {
        self.groups.iter().all(Option::is_none)
    }

    fn new(how: Collapse) -> Below {
        let (own, before) = (Unit::default(), Length::default());
        Below { how, own, groups: vec![None], ends: Table::default(), before }
    }

    fn longer(&self, one: Length, other: Length) -> Length {
        one.longer(other, self.how.start_ticks)
    }

    fn come_after(&mut self, other: u32) -> Option<()> {
        self.before = self.longer(self.before, *self.ends.get(&other)?);
        Some(())
    }

    /// It creates a task.
    fn create(&mut self, (child, of): (u32, Unit), is_executed: bool) -> Option<()> {
        let start = if is_executed { Length::default() } else { START };
        let before = std::mem::take(&mut self.before);
        let end = self.longer(self.own.chain, before).then(start).then(of.chain);
        self.own.alone = self.own.alone.then(start).then(of.alone);
        self.ends.insert(child, end);
        if is_executed {
            self.own.chain = end;
            return Some(());
        }
        let start_ticks = self.how.start_ticks;
        let group = self.groups.last_mut()?;
        *group = Some(group.map_or(end, |last| last.longer(end, start_ticks)));
        Some(())
    }

    fn taskwait(&mut self) {
        for group in 0..self.groups.len() {
            self.join(group);
        }
    }

    /// A task that has begun no taskgroup ends none.
    fn end_group(&mut self) {
        let last = self.groups.len() - 1;
        if last > 0 {
            self.join(last);
            self.groups.pop();
        }
    }

    fn join(&mut self, group: usize) {
        if let Some(end) = self.groups[group].take() {
            self.own.chain = self.longer(self.own.chain, end);
        }
    }
}

/// Copies the tasks that are left, and puts sequences of them together.
struct Rewriting<'a> {
    how: Collapse,
    old: &'a TaskGraph,
    /// By the number in the old graph: others may come after this task.
    is_named: Vec<bool>,
    new: TaskGraph,
    numbers: Vec<u32>,
    /// Tasks of the old graph that are left and not copied.
    found: Vec<u32>,
}

/// Tasks that their creator has created one after the other.
struct Sequence {
    /// Where in the new steps the last of them is created.
    place: usize,
    /// The first one.
    first: u32,
    tasks: u32,
    /// All of them. The chain begins with the creation of the last one.
    unit: Unit,
    is_untied: bool,
    /// Work of the creator since the first one and since the last one, in ticks.
    work: u64,
    since: u64,
}

impl<'a> Rewriting<'a> {
    fn new(how: Collapse, old: &'a TaskGraph) -> Rewriting<'a> {
        let tasks = old.explicit() as usize;
        let (is_named, numbers) = (vec![false; tasks], vec![NONE; tasks]);
        let new = TaskGraph::default();
        let mut of = Rewriting { how, old, is_named, new, numbers, found: Vec::new() };
        let begins = (0..old.explicit()).filter_map(|task| old.begin(task));
        for begin in begins.chain(old.implicit_begins().iter().copied()) {
            of.find_named(old.steps_from(begin));
        }
        of
    }

    fn find_named(&mut self, steps: impl Iterator<Item = Step>) {
        for step in steps {
            if let Step::After(task) = step
                && let Some(is_named) = self.is_named.get_mut(task as usize)
            {
                *is_named = true;
            }
        }
    }

    /// Copies the implicit tasks that are done, and all tasks that the copied ones create.
    fn copy(&mut self) {
        let old = self.old;
        for begin in old.implicit_begins() {
            let steps = self.rewrite(old.steps_from(*begin));
            self.new.give_implicit(&steps);
        }
        while let Some(task) = self.found.pop() {
            if let Some(begin) = old.begin(task) {
                let steps = self.rewrite(old.steps_from(begin));
                let number = self.number(task);
                self.new.give(number, &steps);
            }
        }
    }

    /// The new number of a task.
    fn number(&mut self, old: u32) -> u32 {
        let Some(number) = self.numbers.get_mut(old as usize) else { return NONE };
        if *number == NONE {
            *number = self.new.add();
            if self.old.is_untied(self.old.implicit() + old) {
                self.new.set_untied(*number);
            }
            self.found.push(old);
        }
        *number
    }

    /// The steps of a task with its parts put together.
    fn with_parts(&self, steps: impl Iterator<Item = Step>) -> Vec<Step> {
        let (mut output, mut begin, mut groups) = (Vec::new(), 0, 0_usize);
        // Where the last part ends that was put together.
        let mut end = 0;
        let mut part = Some(Below::new(self.how));
        for step in steps {
            output.push(step);
            match step {
                Step::GroupBegin => groups += 1,
                Step::GroupEnd => groups = groups.saturating_sub(1),
                _ => {}
            }
            part = self.go_on(part, step);
            if part.is_none() && begin < end {
                begin = end;
                let new = Some(Below::new(self.how));
                part = output[end..].iter().fold(new, |part, step| self.go_on(part, *step));
            }
            let is_over = groups == 0 && part.as_ref().is_some_and(Below::is_over);
            match (step, &part) {
                (Step::Taskwait | Step::GroupEnd, Some(of)) if is_over && of.has_tasks() => {
                    output.truncate(begin);
                    output.extend(of.own.steps());
                    end = output.len();
                }
                // Here the task has waited for all that it has created, so a part can begin.
                (Step::Taskwait, None) if groups == 0 => {
                    (begin, part) = (output.len(), Some(Below::new(self.how)));
                }
                (Step::Barrier, _) => {
                    (begin, groups) = (output.len(), 0);
                    part = Some(Below::new(self.how));
                }
                _ => {}
            }
        }
        output
    }

    /// A part with one more step; `None` if it can no longer be put together.
    fn go_on(&self, part: Option<Below>, step: Step) -> Option<Below> {
        let mut part = part.filter(|_| !self.names_others(step))?;
        part.take(step, self.old)?;
        part.is_small().then_some(part)
    }

    /// The step creates a task that others name, or comes after a task.
    fn names_others(&self, step: Step) -> bool {
        match step {
            Step::Create(task) | Step::Execute(task) => self.is_named(task),
            Step::After(_) => true,
            _ => false,
        }
    }

    fn is_named(&self, task: u32) -> bool {
        self.is_named.get(task as usize).is_none_or(|is_named| *is_named)
    }

    /// The steps of a task with the new numbers.
    fn rewrite(&mut self, steps: impl Iterator<Item = Step>) -> Vec<Step> {
        let (mut output, mut sequence, mut is_after) = (Vec::new(), None, false);
        for step in joined(self.with_parts(steps)) {
            match step {
                Step::Work(ticks) => {
                    if let Some(Sequence { work, since, .. }) = &mut sequence {
                        (*work, *since) = (work.saturating_add(ticks), since.saturating_add(ticks));
                    }
                    push_work(&mut output, ticks);
                }
                Step::Create(task) => {
                    let unit = self.part_of_sequence(task).filter(|_| !is_after);
                    self.create((task, unit), &mut sequence, &mut output);
                }
                _ => {
                    self.end(sequence.take(), &mut output);
                    output.push(match step {
                        Step::Execute(task) => Step::Execute(self.number(task)),
                        Step::After(task) => Step::After(self.number(task)),
                        other => other,
                    });
                }
            }
            is_after = matches!(step, Step::After(_));
        }
        self.end(sequence, &mut output);
        output
    }

    /// What a task is, if it may be part of a sequence.
    fn part_of_sequence(&self, task: u32) -> Option<Unit> {
        if self.is_named(task) { None } else { unit(self.old, task) }
    }

    fn create(
        &mut self,
        (task, unit): (u32, Option<Unit>),
        sequence: &mut Option<Sequence>,
        output: &mut Vec<Step>,
    ) {
        let is_untied = self.old.is_untied(self.old.implicit() + task);
        if let (Some(of), Some(unit)) = (sequence.as_mut(), unit)
            && of.is_untied == is_untied
            && let Some(joined) = of.joined(unit, self.how)
        {
            output.truncate(of.place);
            push_work(output, of.since);
            (of.unit, of.since, of.place) = (joined, 0, output.len());
            of.tasks += 1;
            output.push(Step::Create(NONE));
            return;
        }
        self.end(sequence.take(), output);
        let place = output.len();
        match unit {
            None => output.push(Step::Create(self.number(task))),
            Some(unit) => {
                output.push(Step::Create(NONE));
                let (first, tasks, work, since) = (task, 1, 0, 0);
                *sequence = Some(Sequence { place, first, tasks, unit, is_untied, work, since });
            }
        }
    }

    /// The sequence is over. A task alone stays as it is.
    fn end(&mut self, sequence: Option<Sequence>, output: &mut [Step]) {
        let Some(of) = sequence else { return };
        let task = match of.tasks {
            1 => self.number(of.first),
            _ => {
                let task = self.new.add();
                self.new.give(task, &of.unit.steps());
                if of.is_untied {
                    self.new.set_untied(task);
                }
                task
            }
        };
        output[of.place] = Step::Create(task);
    }
}

impl Sequence {
    /// The tasks with one more; `None` if that would be too much. The chain of those before began
    /// earlier, by the work of the creator since then.
    fn joined(&self, next: Unit, how: Collapse) -> Option<Unit> {
        let alone = self.unit.alone.then(START).then(next.alone);
        let all = alone.cost(how.start_ticks).checked_add(self.work)?;
        if all > how.limit_ticks {
            return None;
        }
        let Length { ticks, starts } = self.unit.chain;
        let end = self.unit.chain.cost(how.start_ticks).saturating_sub(self.since);
        let chain = match end > next.chain.cost(how.start_ticks) {
            true => Length { ticks: ticks.checked_sub(self.since)?, starts },
            false => next.chain,
        };
        Some(Unit { alone, chain })
    }
}

/// The steps of a task with successive ones of its own thread as one.
fn joined(steps: Vec<Step>) -> Vec<Step> {
    let (mut output, mut own) = (Vec::with_capacity(steps.len()), Unit::default());
    for step in steps.into_iter().chain([Step::End]) {
        if own.add(step).is_some() {
            continue;
        }
        match std::mem::take(&mut own) {
            Unit { alone, chain } if alone == chain && alone.starts == 0 => {
                push_work(&mut output, alone.ticks);
            }
            other => output.extend(other.steps()),
        }
        output.extend((step != Step::End).then_some(step));
    }
    output
}

/// Adds work to the steps of a task.
fn push_work(steps: &mut Vec<Step>, more: u64) {
    match steps.last_mut() {
        Some(Step::Work(ticks)) => *ticks = ticks.saturating_add(more),
        _ if more > 0 => steps.push(Step::Work(more)),
        _ => {}
    }
}
