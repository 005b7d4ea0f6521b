//! The tasks that are not done. A program may create millions of them before it executes the first
//! one, so a task that was created and has not begun takes few bytes: its name, its creation, and
//! the longest chain that leads to it. What all tasks have in common that one task creates on one
//! thread is kept once. A task that has begun or that has `depend` clauses has a [`Task`] in
//! addition. Most programs have few of these at a time, and the memory of one that is done is used
//! again.

use std::num::NonZeroU64;

use pompeii_model::{Id, LocationId};

use super::compound::WaitNumber;
use super::state::{Owner, Strand, Task, task_of};
use crate::engine::record::{TaskId, TeamInstance, VisitId};
use crate::engine::tree::NodeId;
use crate::place::Place;
use crate::recent::RecentTable;

/// What the tasks have in common that a task creates on a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    pub team: TeamInstance,
    pub owner: Owner,
    /// The taskgroup in which they are created.
    pub group: Option<WaitNumber>,
    pub location: LocationId,
}

/// The creation of a task.
#[derive(Clone, Copy, Debug)]
pub(super) struct Creation {
    pub origin: Origin,
    pub time: u64,
    pub place: Place,
    /// The longest chain of work that leads to it.
    pub path: i64,
}

/// A task that is not done.
#[derive(Debug)]
struct Entry {
    serial: NonZeroU64,
    /// The chain to its creation, its time and its place. A [`Task`] has them, too.
    path: i64,
    time: u64,
    visit: VisitId,
    node: NodeId,
    /// Where the rest is.
    rest: Rest,
}

/// The number of the origin of a task, or with [`Rest::HAS_TASK`] of its [`Task`]. An enum would
/// make each entry eight bytes longer.
#[derive(Clone, Copy, Debug)]
struct Rest(u32);

impl Rest {
    const HAS_TASK: u32 = 1 << 31;

    fn of_task(number: u32) -> Rest {
        Rest(number | Rest::HAS_TASK)
    }

    /// The number of its [`Task`], or as an error that of its origin.
    fn task(self) -> Result<u32, u32> {
        match self.0 & Rest::HAS_TASK {
            0 => Err(self.0),
            _ => Ok(self.0 & !Rest::HAS_TASK),
        }
    }
}

/// Values by number. The number of a value that is gone is used again.
#[derive(Debug)]
struct Slab<T> {
    values: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Default for Slab<T> {
    fn default() -> Slab<T> {
        Slab { values: Vec::new(), free: Vec::new() }
    }
}

impl<T> Slab<T> {
    fn add(&mut self, value: T) -> u32 {
        match self.free.pop() {
            Some(number) => {
                self.values[number as usize] = Some(value);
                number
            }
            None => {
                self.values.push(Some(value));
                (self.values.len() - 1) as u32
            }
        }
    }

    fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        self.values.get_mut(number as usize)?.as_mut()
    }

    fn take(&mut self, number: u32) -> Option<T> {
        let value = self.values.get_mut(number as usize)?.take()?;
        self.free.push(number);
        Some(value)
    }
}

/// Origins, each with the number of its tasks that need it.
#[derive(Debug, Default)]
struct Origins {
    all: Slab<(Origin, u32)>,
    /// By location: the one that was used last.
    last: Vec<u32>,
}

impl Origins {
    /// The number of an origin that a further task needs.
    fn share(&mut self, origin: &Origin) -> u32 {
        let place = origin.location.index();
        if self.last.len() <= place {
            self.last.resize(place + 1, u32::MAX);
        }
        let last = self.last[place];
        if let Some((_, tasks)) = self.all.get_mut(last).filter(|(known, _)| known == origin) {
            *tasks += 1;
            return last;
        }
        self.last[place] = self.all.add((*origin, 1));
        self.last[place]
    }

    fn team(&mut self, number: u32) -> Option<TeamInstance> {
        self.all.get_mut(number).map(|(origin, _)| origin.team)
    }

    /// A task does not need its origin any more.
    fn release(&mut self, number: u32) -> Option<Origin> {
        let (origin, tasks) = self.all.get_mut(number)?;
        let origin = *origin;
        *tasks -= 1;
        if *tasks == 0 {
            self.all.take(number);
        }
        Some(origin)
    }
}

/// All tasks that are not done.
#[derive(Debug, Default)]
pub(super) struct Live {
    entries: RecentTable<TaskId, Entry>,
    origins: Origins,
    tasks: Slab<Task>,
}

impl Live {
    /// A task was created. Returns the team of another one that had its name and that has no end in
    /// the trace.
    pub fn create(&mut self, id: TaskId, serial: u64, of: &Creation) -> Option<TeamInstance> {
        let rest = Rest(self.origins.share(&of.origin));
        let Place { node, visit, .. } = of.place;
        let (path, time, serial) = (of.path, of.time, not_zero(serial));
        let entry = Entry { serial, path, time, visit, node, rest };
        let old = self.entries.insert(id, entry)?;
        self.take(&old).map(|old| old.team)
    }

    /// A task begins whose creation is not known.
    pub fn begin(&mut self, id: TaskId, task: Task) {
        let serial = not_zero(task.serial);
        let (path, time, visit, node) = (0, 0, VisitId::NONE, NodeId(0));
        let rest = Rest::of_task(self.tasks.add(task));
        let entry = Entry { serial, path, time, visit, node, rest };
        if let Some(old) = self.entries.insert(id, entry) {
            self.take(&old);
        }
    }

    /// A task with all that is known of it.
    pub fn get_mut(&mut self, id: &TaskId) -> Option<&mut Task> {
        let Live { entries, origins, tasks } = self;
        let entry = entries.get_mut(id)?;
        let number = match entry.rest.task() {
            Ok(number) => number,
            Err(origin) => {
                let number = tasks.add(task_of_entry(entry, origins.release(origin)?));
                entry.rest = Rest::of_task(number);
                number
            }
        };
        tasks.get_mut(number)
    }

    /// Whether a thread can execute a task.
    pub fn is_ready(&mut self, id: &TaskId) -> bool {
        let Some(entry) = self.entries.get(id) else { return false };
        let task = entry.rest.task().ok().and_then(|number| self.tasks.get_mut(number));
        task.is_none_or(|task| task.ready.is_some())
    }

    pub fn contains(&self, id: &TaskId) -> bool {
        self.entries.contains_key(id)
    }

    /// A task is done.
    pub fn remove(&mut self, id: &TaskId) -> Option<Task> {
        let entry = self.entries.remove(id)?;
        self.take(&entry)
    }

    /// All that is known of a task that is not among the others any more.
    fn take(&mut self, entry: &Entry) -> Option<Task> {
        match entry.rest.task() {
            Ok(number) => self.tasks.take(number),
            Err(origin) => Some(task_of_entry(entry, self.origins.release(origin)?)),
        }
    }

    /// The tasks of some teams will not be done.
    pub fn forget(&mut self, is_over: impl Fn(TeamInstance) -> bool) {
        let Live { entries, origins, tasks } = self;
        entries.retain(|_, entry| {
            let rest = entry.rest.task();
            let team = match rest {
                Ok(number) => tasks.get_mut(number).map(|task| task.team),
                Err(origin) => origins.team(origin),
            };
            let is_kept = team.is_some_and(|team| !is_over(team));
            match rest {
                _ if is_kept => {}
                Ok(number) => drop(tasks.take(number)),
                Err(origin) => drop(origins.release(origin)),
            }
            is_kept
        });
    }

    /// Number of tasks.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// The memory of all of them, without that which a [`Task`] has elsewhere.
    #[cfg(test)]
    fn bytes(&self) -> usize {
        let Live { entries, origins, tasks } = self;
        let of_origins = origins.all.values.capacity() * size_of::<Option<(Origin, u32)>>();
        entries.bytes() + of_origins + tasks.values.capacity() * size_of::<Option<Task>>()
    }
}

/// Tasks are counted from 1.
fn not_zero(serial: u64) -> NonZeroU64 {
    NonZeroU64::new(serial).unwrap_or(NonZeroU64::MIN)
}

/// A task that was created and has not begun.
fn task_of_entry(entry: &Entry, origin: Origin) -> Task {
    let Origin { team, owner, group, location } = origin;
    let place = Place { location, node: entry.node, visit: entry.visit };
    let created = Some((entry.time, place));
    let strand = Strand { path: entry.path, ..Strand::default() };
    let (ready, owner) = (created, Some(owner));
    Task { created, ready, group, owner, ..task_of(team, entry.serial.get(), strand) }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    const TEAM: TeamInstance = TeamInstance { team: 1, number: 0 };

    fn id(thread: u32, generation: u32) -> TaskId {
        TaskId { team: 1, thread, generation }
    }

    fn creation(thread: u32, time: u64) -> Creation {
        let location = LocationId(thread);
        let (owner, group) = (Owner::Thread(location, TEAM), None);
        let place = Place { location, node: NodeId(7), visit: VisitId(time) };
        let origin = Origin { team: TEAM, owner, group, location };
        Creation { origin, time, place, path: 5 }
    }

    /// Tasks that 8 threads have created.
    fn created(tasks: u32) -> Live {
        let mut live = Live::default();
        for number in 1..=tasks {
            let thread = number % 8;
            let name = id(thread, number);
            assert_eq!(live.create(name, number.into(), &creation(thread, 10)), None);
        }
        live
    }

    #[test]
    fn a_task_that_has_not_begun_takes_few_bytes() {
        let bytes = |tasks: u32| created(tasks).bytes() as f64 / f64::from(tasks);
        let of_created = |tasks| format!("{tasks} tasks: {:.1} bytes each", bytes(tasks));
        let mut shown = Vec::from([10_000, 50_000, 100_000, 200_000, 230_000].map(of_created));
        shown.push(format!("a task that has begun: {} bytes more", size_of::<Option<Task>>()));
        expect![[r#"
            10000 tasks: 66.7 bytes each
            50000 tasks: 64.2 bytes each
            100000 tasks: 62.8 bytes each
            200000 tasks: 64.8 bytes each
            230000 tasks: 68.6 bytes each
            a task that has begun: 304 bytes more"#]]
        .assert_eq(&shown.join("\n"));
    }

    #[test]
    fn tasks_come_back_with_their_creation_and_leave_no_memory() {
        let mut live = created(100);
        let task = live.get_mut(&id(4, 12)).unwrap();
        assert_eq!((task.serial, task.strand.path, task.team), (12, 5, TEAM));
        assert_eq!(task.created, Some((10, creation(4, 10).place)));
        task.ready = None;
        assert!(!live.is_ready(&id(4, 12)) && live.is_ready(&id(5, 13)));
        // Another one of the same name.
        assert_eq!(live.create(id(4, 12), 300, &creation(4, 20)), Some(TEAM));
        assert!(live.is_ready(&id(4, 12)));
        live.begin(id(0, 999), task_of(TEAM, 301, Strand::default()));
        assert_eq!((live.len(), live.remove(&id(0, 999)).unwrap().serial), (101, 301));
        assert_eq!(live.remove(&id(4, 12)).unwrap().created, Some((20, creation(4, 20).place)));
        live.forget(|team| team == TEAM);
        assert_eq!(live.len(), 0);
        let none = |of: &Slab<(Origin, u32)>| of.values.iter().all(Option::is_none);
        assert!(none(&live.origins.all) && live.tasks.values.iter().all(Option::is_none));
    }
}
