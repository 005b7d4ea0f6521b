//! The tasks that are not done. A program may create millions of them before it executes the first
//! one, so a task that was created and has not begun takes few bytes: its name, its creation, and
//! the longest chain that leads to it. What all tasks have in common that one task creates on one
//! thread is kept once. A task that has begun or that has `depend` clauses has a [`Task`] in
//! addition. Most programs have few of these at a time, and the memory of one that is done is used
//! again.

use std::num::NonZeroU64;

use pompeii_model::{Id, LocationId};

use super::compound::TaskStep;
use super::state::{Ended, Moment, Origin, Task};
use crate::compound::Compound;
use crate::engine::record::{TaskId, TeamInstance, VisitId};
use crate::engine::tree::NodeId;
use crate::place::Place;
use crate::recent::RecentTable;
use crate::slab::{Rest, Shared, Slab};

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
    /// The chain to its creation. In a [`Task`] it has grown since.
    path: i64,
    /// The time and the place of its creation, if its origin has an owner.
    time: u64,
    visit: VisitId,
    node: NodeId,
    /// Where the rest is: its origin, or its [`Task`].
    rest: Rest,
}

impl Entry {
    fn created(&self, origin: &Origin) -> Option<(u64, Place)> {
        let Origin { location, owner, .. } = *origin;
        let place = Place { location, node: self.node, visit: self.visit };
        owner.map(|_| (self.time, place))
    }

    /// What is known of a task that has not begun, with the number of its origin.
    fn task(&self, number: u32, origin: &Origin) -> Task {
        let ready = self.created(origin).map(|(time, place)| Moment::new(time, place));
        Task::new(number, self.path, ready)
    }
}

/// All tasks that are not done.
#[derive(Debug, Default)]
pub(super) struct Live {
    entries: RecentTable<TaskId, Entry>,
    origins: Shared<Origin>,
    tasks: Slab<Task>,
}

impl Live {
    /// A task was created. Returns the team of another one that had its name and that has no end in
    /// the trace.
    pub fn create(&mut self, id: TaskId, serial: u64, of: &Creation) -> Option<TeamInstance> {
        let rest = Rest::shared(self.share(&of.origin));
        let Place { node, visit, .. } = of.place;
        let (path, time, serial) = (of.path, of.time, not_zero(serial));
        let entry = Entry { serial, path, time, visit, node, rest };
        let old = self.entries.insert(id, entry)?;
        self.take(&old).map(|old| old.origin.team)
    }

    /// A task of a team begins on a location, and its creation is not known.
    pub fn begin(&mut self, id: TaskId, serial: u64, (team, location): (TeamInstance, LocationId)) {
        let origin = self.share(&Origin { team, owner: None, group: None, location });
        let (path, time, visit, node) = (0, 0, VisitId::NONE, NodeId(0));
        let rest = Rest::own(self.tasks.add(Task::new(origin, path, None)));
        let entry = Entry { serial: not_zero(serial), path, time, visit, node, rest };
        if let Some(old) = self.entries.insert(id, entry) {
            self.take(&old);
        }
    }

    /// The creation of a task becomes known that has begun before. It stays in the team in which it
    /// was counted, which is another one if the trace is damaged.
    pub fn set_creation(&mut self, id: &TaskId, of: &Creation) {
        let Some(team) = self.origin(id).map(|origin| origin.team) else { return };
        let origin = self.share(&Origin { team, ..of.origin });
        let Some(task) = self.get_mut(id) else { return };
        task.ready = Some(Moment::new(of.time, of.place));
        task.strand.path = task.strand.path.saturating_add(of.path);
        let old = std::mem::replace(&mut task.origin, origin);
        self.origins.release(old);
        if let Some(entry) = self.entries.get_mut(id) {
            (entry.time, entry.visit, entry.node) = (of.time, of.place.visit, of.place.node);
        }
    }

    fn share(&mut self, origin: &Origin) -> u32 {
        self.origins.share(origin.location.index(), origin)
    }

    /// A task with all that is known of it.
    pub fn get_mut(&mut self, id: &TaskId) -> Option<&mut Task> {
        let Live { entries, origins, tasks } = self;
        let entry = entries.get_mut(id)?;
        let number = match entry.rest.number() {
            Ok(number) => number,
            Err(origin) => {
                let number = tasks.add(entry.task(origin, origins.get(origin)?));
                entry.rest = Rest::own(number);
                number
            }
        };
        tasks.get_mut(number)
    }

    /// The same, if it has this number: another task may have the same name.
    pub fn instance_mut(&mut self, (id, serial): (TaskId, u64)) -> Option<&mut Task> {
        self.serial(&id).filter(|known| *known == serial)?;
        self.get_mut(&id)
    }

    /// The number of a task, which no other task has.
    pub fn serial(&self, id: &TaskId) -> Option<u64> {
        self.entries.get(id).map(|entry| entry.serial.get())
    }

    /// The number of a task that has begun, and whose creation is not known.
    pub fn serial_before_creation(&self, id: &TaskId) -> Option<u64> {
        self.origin(id).filter(|origin| origin.owner.is_none())?;
        self.serial(id)
    }

    /// What a task has in common with others of its creator.
    pub fn origin(&self, id: &TaskId) -> Option<&Origin> {
        self.origins.get(self.origin_number(self.entries.get(id)?.rest)?)
    }

    fn origin_number(&self, rest: Rest) -> Option<u32> {
        match rest.number() {
            Ok(number) => self.tasks.get(number).map(|task| task.origin),
            Err(origin) => Some(origin),
        }
    }

    /// When and where a task was created, if that is known.
    pub fn created(&self, id: &TaskId) -> Option<(u64, Place)> {
        self.entries.get(id)?.created(self.origin(id)?)
    }

    /// A task does a step.
    pub fn step(&mut self, id: &TaskId, step: TaskStep) -> Option<Compound> {
        let (team, serial) = (self.origin(id)?.team, self.serial(id)?);
        Some(self.get_mut(id)?.step((team, serial), step))
    }

    /// Whether a thread can execute a task.
    pub fn is_ready(&self, id: &TaskId) -> bool {
        let Some(entry) = self.entries.get(id) else { return false };
        let task = entry.rest.number().ok().and_then(|number| self.tasks.get(number));
        task.is_none_or(|task| task.ready.is_some())
    }

    pub fn contains(&self, id: &TaskId) -> bool {
        self.entries.contains_key(id)
    }

    /// A task is done.
    pub fn remove(&mut self, id: &TaskId) -> Option<Ended> {
        let entry = self.entries.remove(id)?;
        self.take(&entry)
    }

    /// All that is known of a task that is not among the others any more.
    fn take(&mut self, entry: &Entry) -> Option<Ended> {
        let number = self.origin_number(entry.rest)?;
        let origin = self.origins.release(number)?;
        let task = match entry.rest.number() {
            Ok(number) => self.tasks.take(number)?,
            Err(number) => entry.task(number, &origin),
        };
        let (serial, created) = (entry.serial.get(), entry.created(&origin));
        Some(Ended { serial, origin, created, task })
    }

    /// The tasks of some teams will not be done.
    pub fn forget(&mut self, is_over: impl Fn(TeamInstance) -> bool) {
        let Live { entries, origins, tasks } = self;
        entries.retain(|_, entry| {
            let own = entry.rest.number();
            let number = match own {
                Ok(number) => tasks.get(number).map(|task| task.origin),
                Err(origin) => Some(origin),
            };
            let origin = number.and_then(|number| Some((number, origins.get(number)?.team)));
            let Some((number, _)) = origin.filter(|(_, team)| is_over(*team)) else { return true };
            origins.release(number);
            if let Ok(number) = own {
                tasks.take(number);
            }
            false
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
        entries.bytes() + origins.bytes() + tasks.bytes()
    }
}

/// Tasks are counted from 1.
fn not_zero(serial: u64) -> NonZeroU64 {
    NonZeroU64::new(serial).unwrap_or(NonZeroU64::MIN)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::task::state::Owner;

    const TEAM: TeamInstance = TeamInstance { team: 1, number: 0 };

    fn id(thread: u32, generation: u32) -> TaskId {
        TaskId { team: 1, thread, generation }
    }

    fn creation(thread: u32, time: u64) -> Creation {
        let location = LocationId(thread);
        let (owner, group) = (Some(Owner::Thread(location, TEAM)), None);
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
            a task that has begun: 160 bytes more"#]]
        .assert_eq(&shown.join("\n"));
    }

    #[test]
    fn the_creation_of_a_task_may_come_after_its_begin() {
        let (mut live, id) = (Live::default(), id(3, 1));
        live.begin(id, 7, (TEAM, LocationId(2)));
        let task = live.get_mut(&id).unwrap();
        assert!(!task.begin_fragment(20, false));
        (task.strand.path, task.strand.work) = (30, 30);
        assert_eq!((live.serial_before_creation(&id), live.created(&id)), (Some(7), None));
        // The team of a damaged trace changes nothing.
        let mut of = creation(3, 20);
        of.origin.team.number += 1;
        live.set_creation(&id, &of);
        assert_eq!(live.serial_before_creation(&id), None);
        let Ended { serial, origin, created, task } = live.remove(&id).unwrap();
        assert_eq!((serial, origin), (7, creation(3, 20).origin));
        assert_eq!(created, Some((20, creation(3, 20).place)));
        assert_eq!((task.strand.path, task.strand.work, task.begun()), (35, 30, Some(20)));
        assert!(live.origins.is_empty() && live.tasks.is_empty());
    }

    #[test]
    fn tasks_come_back_with_their_creation_and_leave_no_memory() {
        let mut live = created(100);
        let task = live.get_mut(&id(4, 12)).unwrap();
        let place = creation(4, 10).place;
        assert_eq!((task.strand.path, task.ready), (5, Some(Moment::new(10, place))));
        task.ready = None;
        assert_eq!(
            (live.serial(&id(4, 12)), live.created(&id(4, 12))),
            (Some(12), Some((10, place)))
        );
        assert_eq!(live.origin(&id(4, 12)), Some(&creation(4, 10).origin));
        assert!(!live.is_ready(&id(4, 12)) && live.is_ready(&id(5, 13)));
        // Another one of the same name.
        assert_eq!(live.create(id(4, 12), 300, &creation(4, 20)), Some(TEAM));
        assert!(live.is_ready(&id(4, 12)));
        live.begin(id(0, 999), 301, (TEAM, LocationId(2)));
        assert_eq!((live.len(), live.created(&id(0, 999))), (101, None));
        assert_eq!(live.remove(&id(0, 999)).unwrap().serial, 301);
        assert_eq!(live.remove(&id(4, 12)).unwrap().created, Some((20, creation(4, 20).place)));
        live.forget(|team| team == TEAM);
        assert_eq!(live.len(), 0);
        assert!(live.origins.is_empty() && live.tasks.is_empty());
    }
}
