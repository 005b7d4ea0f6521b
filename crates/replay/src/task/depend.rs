//! The order of tasks by their `depend` clauses (OpenMP 5.2, section 15.9.5): a task may not begin
//! before certain tasks are done that the same task has created before. This is the rule of the
//! last writer, for each address:
//!
//! Tasks in a row that use the address in the same way, and may be in any order, are a group. A
//! task with `out` or `inout` is a group of its own. A task begins after all tasks of the group
//! before its own. That group's tasks have begun after those of the group before, and so on.
//!
//! Tasks with `mutexinoutset` exclude each other. Since their order is not known in advance, there
//! is no edge between them.
//!
//! Of tasks that are done only the last end is kept, for each group. What an end is, depends on who
//! asks: the length of a chain of work, or a moment in several scenarios.

use std::fmt::Debug;

use pompeii_model::DependKind;

use crate::engine::record::TaskId;
use crate::hash::Table;

/// A task instance: its name, and the number that no other one has.
pub(crate) type Instance = (TaskId, u64);

/// Ends of tasks, of which the last one counts.
pub(crate) trait End: Clone + Debug {
    /// The later one of both.
    fn join(&mut self, other: &Self);
}

/// The length of the longest chain of work to the end.
impl End for i64 {
    fn join(&mut self, other: &i64) {
        *self = (*self).max(*other);
    }
}

/// Joins an end to the last one, if there is one.
fn join<E: End>(to: &mut Option<E>, end: &E) {
    match to {
        Some(last) => last.join(end),
        None => *to = Some(end.clone()),
    }
}

/// An item of a `depend` clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    pub kind: DependKind,
    pub address: u64,
}

/// A task is in this group of the tasks that use this address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    address: u64,
    group: u64,
    /// It excludes other tasks that use the address (`mutexinoutset`).
    is_exclusive: bool,
}

/// Tasks that use an address in the same way.
#[derive(Debug)]
struct Group<E> {
    /// No other group has it.
    number: u64,
    tasks: Vec<Instance>,
    /// The last end of one of them.
    end: Option<E>,
}

/// The last two groups of an address.
#[derive(Debug)]
struct Users<E> {
    kind: DependKind,
    last: Group<E>,
    before: Group<E>,
}

/// The tasks that a task has created, by the addresses of their items.
#[derive(Debug)]
pub(crate) struct Siblings<E> {
    users: Table<u64, Users<E>>,
    groups: u64,
    /// By address: the last end of the tasks that exclude each other there.
    exclusive: Table<u64, E>,
}

/// What a task begins after.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct After<E> {
    /// These tasks, each once. Some of them may be done.
    pub tasks: Vec<Instance>,
    /// The last end of those that are done.
    pub end: Option<E>,
    /// The groups that the task is in itself.
    pub member_of: Vec<Member>,
}

impl<E> Default for Siblings<E> {
    fn default() -> Siblings<E> {
        Siblings { users: Table::default(), groups: 0, exclusive: Table::default() }
    }
}

impl<E: End> Siblings<E> {
    /// A task with these items is created.
    pub fn add(&mut self, task: Instance, items: &[Item]) -> After<E> {
        let mut after = After { tasks: Vec::new(), end: None, member_of: Vec::new() };
        for &Item { kind, address } in items {
            self.groups += 1;
            let users = self.users.entry(address).or_insert_with(|| Users::new(kind));
            users.add(task, kind, self.groups);
            let (group, is_exclusive) = (users.last.number, users.kind == DependKind::Mutex);
            after.member_of.push(Member { address, group, is_exclusive });
            users.before.end.iter().for_each(|end| join(&mut after.end, end));
            after.tasks.extend(users.before.tasks.iter().filter(|before| **before != task));
        }
        after.tasks.sort_unstable_by_key(|(_, serial)| *serial);
        after.tasks.dedup();
        after
    }

    /// A construct with these items is met at `now` that is no task of the trace. It comes after
    /// the tasks that are returned. The tasks that come after it come after these: they are members
    /// of the groups that are returned.
    pub fn pass(&mut self, items: &[Item], now: &E) -> After<E> {
        let (mut tasks, mut end) = self.before(items);
        tasks.sort_unstable_by_key(|(_, serial)| *serial);
        tasks.dedup();
        let mut after = After { tasks, end: end.clone(), member_of: Vec::new() };
        if after.tasks.is_empty() {
            return after;
        }
        join(&mut end, now);
        for &Item { kind, address } in items {
            self.groups += 1;
            let users = self.users.entry(address).or_insert_with(|| Users::new(kind));
            users.pass(&after.tasks, kind, self.groups);
            end.iter().for_each(|end| join(&mut users.last.end, end));
            let group = users.last.number;
            after.member_of.push(Member { address, group, is_exclusive: false });
        }
        after
    }

    /// What a task with these items would begin after.
    pub fn before(&self, items: &[Item]) -> (Vec<Instance>, Option<E>) {
        let (mut tasks, mut last) = (Vec::new(), None);
        for &Item { kind, address } in items {
            let Some(users) = self.users.get(&address) else { continue };
            let group = if users.is_same(kind) { &users.before } else { &users.last };
            tasks.extend(&group.tasks);
            group.end.iter().for_each(|end| join(&mut last, end));
        }
        (tasks, last)
    }

    /// A task is done.
    pub fn done(&mut self, member_of: &[Member], end: &E) {
        for member in member_of {
            self.group(member).into_iter().for_each(|group| join(&mut group.end, end));
            if member.is_exclusive {
                self.exclusive.entry(member.address).or_insert_with(|| end.clone()).join(end);
            }
        }
    }

    /// The last end of the tasks that exclude a task, and are done.
    pub fn last_exclusive(&self, member_of: &[Member]) -> Option<E> {
        let mut last = None;
        for member in member_of.iter().filter(|member| member.is_exclusive) {
            let end = self.exclusive.get(&member.address);
            end.into_iter().for_each(|end| join(&mut last, end));
        }
        last
    }

    /// The group of a member, if it is still one of the last two of its address.
    fn group(&mut self, member: &Member) -> Option<&mut Group<E>> {
        let Users { last, before, .. } = self.users.get_mut(&member.address)?;
        [last, before].into_iter().find(|group| group.number == member.group)
    }

    /// All of them are done, and the task that has created them has waited for that.
    pub fn forget(&mut self) {
        self.users.clear();
        self.exclusive.clear();
    }
}

impl<E> Default for Group<E> {
    fn default() -> Group<E> {
        Group { number: 0, tasks: Vec::new(), end: None }
    }
}

impl<E> Users<E> {
    fn new(kind: DependKind) -> Users<E> {
        Users { kind, last: Group::default(), before: Group::default() }
    }

    /// Whether a task that uses the address in this way belongs to the last group.
    fn is_same(&self, kind: DependKind) -> bool {
        kind == self.kind && kind != DependKind::Out
    }

    /// A construct that stands for these tasks uses the address.
    fn pass(&mut self, tasks: &[Instance], kind: DependKind, number: u64) {
        if !self.is_same(kind) && !self.last.tasks.is_empty() {
            self.before = std::mem::take(&mut self.last);
        }
        if self.last.tasks.is_empty() {
            self.last.number = number;
        }
        self.kind = kind;
        self.last.tasks.extend(tasks);
    }

    /// A task uses the address. If it names the address twice in different ways, that counts as
    /// `inout`. A new group gets this number.
    fn add(&mut self, task: Instance, kind: DependKind, number: u64) {
        let mut kind = kind;
        if self.last.tasks.last() == Some(&task) {
            if kind == self.kind {
                return;
            }
            self.last.tasks.pop();
            kind = DependKind::Out;
        }
        if !self.is_same(kind) && !self.last.tasks.is_empty() {
            self.before = std::mem::take(&mut self.last);
        }
        if self.last.tasks.is_empty() {
            self.last.number = number;
        }
        self.kind = kind;
        self.last.tasks.push(task);
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    /// The edges of tasks, one a word: `in:a,inout:b`.
    fn check(tasks: &str, expect: Expect) {
        let mut siblings = Siblings::<i64>::default();
        let mut text = String::new();
        for (serial, items) in (1..).zip(tasks.split_whitespace()) {
            let item = |word: &str| {
                let (kind, address) = word.split_once(':').unwrap();
                let kind = DependKind::of_attribute(&format!("depend({kind}) 1")).unwrap();
                Item { kind, address: u64::from(address.as_bytes()[0]) }
            };
            let items: Vec<Item> = items.split(',').map(item).collect();
            let name = TaskId { team: 0, thread: 0, generation: serial };
            let after = siblings.add((name, u64::from(serial)), &items).tasks;
            let after: Vec<String> = after.iter().map(|(_, serial)| serial.to_string()).collect();
            text += &format!("{serial} after [{}]\n", after.join(" "));
        }
        expect.assert_eq(&text);
    }

    #[test]
    fn readers_come_after_the_last_writer_and_a_writer_after_all_readers() {
        check(
            "in:a inout:a in:a in:a inout:a inout:a in:b",
            expect![[r#"
                1 after []
                2 after [1]
                3 after [2]
                4 after [2]
                5 after [3 4]
                6 after [5]
                7 after []
            "#]],
        );
    }

    #[test]
    fn a_task_comes_after_those_of_all_its_items_once() {
        check(
            "inout:a inout:b inout:a,inout:b in:a,in:b,inout:c",
            expect![[r#"
                1 after []
                2 after []
                3 after [1 2]
                4 after [3]
            "#]],
        );
    }

    #[test]
    fn sets_have_no_order_inside_and_are_ordered_with_others() {
        check(
            "inout:a inoutset:a inoutset:a mutexinoutset:a mutexinoutset:a in:a inoutset:a",
            expect![[r#"
                1 after []
                2 after [1]
                3 after [1]
                4 after [2 3]
                5 after [2 3]
                6 after [4 5]
                7 after [6]
            "#]],
        );
    }

    #[test]
    fn an_item_that_is_named_twice_makes_no_edge_to_the_task_itself() {
        check(
            "in:a in:a,inout:a in:a,in:a in:a",
            expect![[r#"
                1 after []
                2 after [1]
                3 after [2]
                4 after [2]
            "#]],
        );
    }

    #[test]
    fn chains_of_tasks_that_are_done_are_known() {
        let mut siblings = Siblings::default();
        let instance = |serial| (TaskId { team: 0, thread: 0, generation: serial as u32 }, serial);
        let writes = [Item { kind: DependKind::Out, address: 8 }];
        let reads = [Item { kind: DependKind::In, address: 8 }];
        let writer = siblings.add(instance(1), &writes);
        siblings.done(&writer.member_of, &70);
        let [one, other] = [2, 3].map(|serial| siblings.add(instance(serial), &reads));
        assert_eq!((one.end, other.end), (Some(70), Some(70)));
        siblings.done(&one.member_of, &90);
        siblings.done(&other.member_of, &80);
        assert_eq!(siblings.add(instance(4), &writes).end, Some(90));
        siblings.forget();
        let new = siblings.add(instance(5), &reads);
        assert_eq!((new.tasks, new.end), (Vec::new(), None));
    }
}
