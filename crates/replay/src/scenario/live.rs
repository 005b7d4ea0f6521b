//! The tasks that are not done. A program may create millions of them before it executes the first
//! one, so a task that was created and has not begun takes few bytes next to its clocks: its name,
//! the time, and the number of what all tasks have in common that one task creates on one location.
//! A task that has begun or that has `depend` clauses has a [`Task`] in addition.

use super::clocks::{Clocks, join_late};
use super::strand::{Depend, Strand};
use crate::engine::record::TaskId;
use crate::recent::RecentTable;
use crate::slab::{Rest, Shared, Slab};

/// Who created a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Creator {
    /// The implicit task of a part, by the number of the part, on a location.
    Part(usize, u64),
    Task(TaskId),
}

/// What the tasks have in common that a task creates on a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    pub creator: Creator,
    /// The taskgroup in which they are created.
    pub group: Option<u64>,
}

/// What is known of a task that has begun or has `depend` clauses.
#[derive(Debug, Default)]
pub(super) struct Task {
    /// The number of its origin.
    origin: u32,
    /// The location on which it has begun.
    pub begun_on: Option<u32>,
    pub strand: Strand,
    /// Its `depend` clauses, if it has some.
    pub depend: Option<Box<Depend>>,
}

/// A task that is done.
#[derive(Debug)]
pub(super) struct Done {
    pub origin: Origin,
    pub task: Task,
}

/// The moments of tasks, by the places of the tasks in their table.
#[derive(Debug, Default)]
struct Moments {
    /// For each task: its time, and how much later that is in each scenario.
    blocks: Vec<Box<[i64]>>,
    scenarios: usize,
}

/// How many tasks have their moments in one block. Blocks need no room to spare and are not moved.
const BLOCK_TASKS: usize = 64;

impl Moments {
    fn of(&mut self, place: u32) -> (&mut i64, &mut [i64]) {
        let (words, place) = (self.scenarios + 1, place as usize);
        while self.blocks.len() <= place / BLOCK_TASKS {
            self.blocks.push(vec![0; BLOCK_TASKS * words].into_boxed_slice());
        }
        let first = place % BLOCK_TASKS * words;
        let of_task = &mut self.blocks[place / BLOCK_TASKS][first..first + words];
        // Each of them has a time.
        let (time, late) = of_task.split_at_mut(1);
        (&mut time[0], late)
    }

    fn set(&mut self, place: u32, clocks: &Clocks) {
        let (time, late) = self.of(place);
        *time = clocks.time.cast_signed();
        late.copy_from_slice(&clocks.late);
    }

    fn get(&mut self, place: u32) -> Clocks {
        let (time, late) = self.of(place);
        Clocks { time: time.cast_unsigned(), late: late.into() }
    }

    /// The later one of both moments counts.
    fn join(&mut self, place: u32, clocks: &Clocks) {
        let (time, late) = self.of(place);
        *time = join_late((time.cast_unsigned(), late), clocks).cast_signed();
    }

    #[cfg(test)]
    fn bytes(&self) -> usize {
        let of_block =
            size_of::<Box<[i64]>>() + BLOCK_TASKS * (self.scenarios + 1) * size_of::<i64>();
        self.blocks.len() * of_block
    }
}

/// All tasks that are not done.
#[derive(Debug, Default)]
pub(super) struct Live {
    /// The rest of each task: its origin, or its [`Task`].
    entries: RecentTable<TaskId, Rest>,
    /// When each task was created and all tasks before it were done, or when it stopped last.
    ready: Moments,
    origins: Shared<Origin>,
    tasks: Slab<Task>,
}

impl Live {
    /// No tasks, in this number of scenarios.
    pub fn new(scenarios: usize) -> Live {
        Live { ready: Moments { scenarios, ..Moments::default() }, ..Live::default() }
    }

    /// A task is created on a location. Another one of the same name has no end in the trace.
    pub fn create(&mut self, id: TaskId, (location, origin): (usize, &Origin), ready: &Clocks) {
        let rest = Rest::shared(self.origins.share(location, origin));
        if let Some(old) = self.entries.insert(id, rest) {
            self.take(old);
        }
        self.set_ready(&id, ready);
    }

    /// Sets when a task can go on.
    pub fn set_ready(&mut self, id: &TaskId, ready: &Clocks) {
        if let Some(place) = self.entries.place_of(id) {
            self.ready.set(place, ready);
        }
    }

    /// A task can go on after a further moment only.
    pub fn join_ready(&mut self, id: &TaskId, moment: &Clocks) {
        if let Some(place) = self.entries.place_of(id) {
            self.ready.join(place, moment);
        }
    }

    /// When a task can go on.
    pub fn ready(&mut self, id: &TaskId) -> Option<Clocks> {
        Some(self.ready.get(self.entries.place_of(id)?))
    }

    /// Who created a task, and its taskgroup.
    pub fn origin(&self, id: &TaskId) -> Option<&Origin> {
        let number = match self.entries.get(id)?.number() {
            Ok(task) => self.tasks.get(task)?.origin,
            Err(origin) => origin,
        };
        self.origins.get(number)
    }

    /// A task, if it has begun or has `depend` clauses.
    pub fn task(&self, id: &TaskId) -> Option<&Task> {
        self.tasks.get(self.entries.get(id)?.number().ok()?)
    }

    /// A task that has begun, or has `depend` clauses, from now on.
    pub fn task_mut(&mut self, id: &TaskId) -> Option<&mut Task> {
        let Live { entries, tasks, .. } = self;
        let rest = entries.get_mut(id)?;
        let number = match rest.number() {
            Ok(number) => number,
            Err(origin) => {
                let number = tasks.add(Task { origin, ..Task::default() });
                *rest = Rest::own(number);
                number
            }
        };
        tasks.get_mut(number)
    }

    /// The `depend` clauses of a task with this number.
    pub fn depend_mut(&mut self, id: &TaskId, serial: u64) -> Option<&mut Depend> {
        let task = self.tasks.get_mut(self.entries.get(id)?.number().ok()?)?;
        task.depend.as_deref_mut().filter(|depend| depend.serial == serial)
    }

    /// A task is done.
    pub fn remove(&mut self, id: &TaskId) -> Option<Done> {
        let rest = self.entries.remove(id)?;
        self.take(rest)
    }

    fn take(&mut self, rest: Rest) -> Option<Done> {
        let task = match rest.number() {
            Ok(number) => self.tasks.take(number)?,
            Err(origin) => Task { origin, ..Task::default() },
        };
        Some(Done { origin: self.origins.release(task.origin)?, task })
    }

    /// The memory of all of them, without that which a [`Task`] has elsewhere.
    #[cfg(test)]
    fn bytes(&self) -> usize {
        let Live { entries, ready, origins, tasks } = self;
        entries.bytes() + ready.bytes() + origins.bytes() + tasks.bytes()
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::engine::tree::NodeId;

    fn id(thread: u32, generation: u32) -> TaskId {
        TaskId { team: 1, thread, generation }
    }

    fn clocks(time: u64, scenarios: usize) -> Clocks {
        Clocks { time, ..Clocks::new(scenarios) }
    }

    fn origin(thread: u32) -> Origin {
        Origin { creator: Creator::Part(thread as usize, 1), group: None }
    }

    /// Tasks that 8 threads have created.
    fn created(tasks: u32, scenarios: usize) -> Live {
        let mut live = Live::new(scenarios);
        for number in 1..=tasks {
            let thread = number % 8;
            let of = (thread as usize, &origin(thread));
            live.create(id(thread, number), of, &clocks(number.into(), scenarios));
        }
        live
    }

    #[test]
    fn a_task_that_has_not_begun_takes_few_bytes() {
        let of_created = |(tasks, scenarios): (u32, usize)| {
            let bytes = created(tasks, scenarios).bytes() as f64 / f64::from(tasks);
            let others = bytes - (scenarios * size_of::<i64>()) as f64;
            format!(
                "{tasks} tasks, {scenarios} scenarios: {bytes:.1} bytes each, {others:.1} without \
                 clocks"
            )
        };
        let cases =
            [(10_000, 1), (100_000, 1), (10_000, 64), (50_000, 64), (200_000, 64), (230_000, 64)];
        let mut shown = Vec::from(cases.map(of_created));
        shown.push(format!("a task that has begun: {} bytes more", size_of::<Option<Task>>()));
        expect![[r#"
            10000 tasks, 1 scenarios: 41.3 bytes each, 33.3 without clocks
            100000 tasks, 1 scenarios: 38.9 bytes each, 30.9 without clocks
            10000 tasks, 64 scenarios: 547.7 bytes each, 35.7 without clocks
            50000 tasks, 64 scenarios: 543.8 bytes each, 31.8 without clocks
            200000 tasks, 64 scenarios: 543.5 bytes each, 31.5 without clocks
            230000 tasks, 64 scenarios: 548.0 bytes each, 36.0 without clocks
            a task that has begun: 64 bytes more"#]]
        .assert_eq(&shown.join("\n"));
    }

    #[test]
    fn tasks_come_back_with_their_moments_and_origins_and_leave_no_memory() {
        let mut live = created(100, 2);
        assert_eq!(live.ready(&id(4, 12)), Some(clocks(12, 2)));
        assert!(live.task(&id(4, 12)).is_none());
        live.task_mut(&id(4, 12)).unwrap().begun_on = Some(3);
        assert_eq!(live.task(&id(4, 12)).unwrap().begun_on, Some(3));
        live.set_ready(&id(4, 12), &Clocks { time: 20, late: [0, 70].into() });
        live.join_ready(&id(4, 12), &clocks(30, 2));
        assert_eq!(live.ready(&id(4, 12)), Some(clocks(30, 2)));
        // Another one of the same name.
        live.create(id(4, 12), (5, &origin(5)), &clocks(40, 2));
        assert!(live.task(&id(4, 12)).is_none());
        assert_eq!(live.origin(&id(4, 12)), Some(&origin(5)));
        assert_eq!(
            (live.ready(&id(4, 12)), live.ready(&id(4, 20))),
            (Some(clocks(40, 2)), Some(clocks(20, 2)))
        );
        assert_eq!(live.remove(&id(4, 12)).unwrap().origin, origin(5));
        assert_eq!((live.ready(&id(4, 12)), live.origin(&id(4, 12))), (None, None));
        for number in 1..=100 {
            let done = live.remove(&id(number % 8, number));
            assert_eq!(done.map(|done| done.origin), (number != 12).then_some(origin(number % 8)));
        }
        assert!(live.origins.is_empty() && live.tasks.is_empty());
    }

    #[test]
    fn only_the_task_with_this_number_has_these_clauses() {
        let mut live = created(2, 1);
        assert!(live.depend_mut(&id(1, 1), 5).is_none());
        let depend = Depend::new(5, NodeId(7), Vec::new());
        live.task_mut(&id(1, 1)).unwrap().depend = Some(Box::new(depend));
        assert!(live.depend_mut(&id(1, 1), 5).is_some());
        assert!(live.depend_mut(&id(1, 1), 4).is_none() && live.depend_mut(&id(2, 2), 5).is_none());
    }
}
