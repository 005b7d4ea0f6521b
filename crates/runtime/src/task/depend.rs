//! Items of `depend` clauses: they are attributes of the record that creates the task, or enters
//! the taskwait or the target construct, so that the analysis knows which tasks begin after which.
//! Only a trace has them.
//!
//! The creation is written down at once then, and does not wait for its end. Therefore a task with
//! items takes its time even if its creator executes it because of a clause.

use super::due::{take_back, take_due, write_creation_with};
use super::wait::{begin_waiting, has_children, wait_enter, wait_exit};
use super::{UNTIMED, untag};
use crate::clock::Clock;
use crate::events::Attribute;
use crate::guard;
use crate::location::Location;
use pompeii_live::Definition;
use std::sync::atomic::Ordering;

/// How a task uses an item; the numbers are those of `DependKind` in `pompeii-model`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `in`.
    In = 0,
    /// `out` and `inout`.
    Out = 1,
    /// `mutexinoutset`.
    Mutex = 2,
    /// `inoutset`.
    Set = 3,
}

impl Kind {
    /// The kind that a letter of `POMP_Task_depend` stands for.
    const fn of_letter(letter: u8) -> Option<Kind> {
        match letter {
            b'i' => Some(Kind::In),
            b'o' => Some(Kind::Out),
            b'm' => Some(Kind::Mutex),
            b's' => Some(Kind::Set),
            _ => None,
        }
    }
}

/// An item, and `None` for one whose address is not known.
pub type Item = Option<(Kind, usize)>;

/// The items of a task, which come one by one. Those that lie in memory in the order of their
/// attributes are written at once.
pub trait Items: Iterator<Item = Item> {
    /// Takes items from the front whose addresses are known, and writes their attributes, as many
    /// as there is room for. Returns how many.
    fn write_first(&mut self, _attributes: &mut Attributes) -> usize {
        0
    }
}

impl<I: Iterator, F: FnMut(I::Item) -> Item> Items for std::iter::Map<I, F> {}

/// Attributes of items have one byte for their ids: 0 for the number of those that are not known,
/// and one for each kind and place. It is the number in `pompeii-model`, too.
const ITEMS_MAX: usize = 63;
/// The id of the attribute of a first item with the first kind.
const FIRST_ID: u32 = 1;
/// How many kinds there are: the ids of the next item are larger by this.
const KINDS: u32 = 4;

/// The attributes of a task: those of its items, and how many are not known.
pub type Attributes = [Attribute; ITEMS_MAX + 1];

/// Items as `POMP_Task_depend` gets them: a letter for each, and the addresses of those that are
/// known, in the same order.
pub struct Letters<'a> {
    letters: &'a [u8],
    addresses: *const usize,
}

impl<'a> Letters<'a> {
    /// The head of the attribute of a first item, by the letter of its kind; 0 for other letters. A
    /// table takes a third of the instructions that comparisons take.
    const HEADS: [u32; 256] = {
        let mut heads = [0; 256];
        let mut letter = 0_u8;
        while letter < u8::MAX {
            if let Some(kind) = Kind::of_letter(letter) {
                heads[letter as usize] = Attribute::head(FIRST_ID + kind as u32);
            }
            letter += 1;
        }
        heads
    };

    /// # Safety
    /// There must be as many addresses as letters of kinds.
    pub unsafe fn new(letters: &'a [u8], addresses: *const usize) -> Self {
        Self { letters, addresses }
    }
}

impl Iterator for Letters<'_> {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        let (letter, rest) = self.letters.split_first()?;
        self.letters = rest;
        Some(Kind::of_letter(*letter).map(|kind| {
            // SAFETY: the contract of `new`.
            unsafe {
                let address = self.addresses.read();
                self.addresses = self.addresses.add(1);
                (kind, address)
            }
        }))
    }
}

impl Items for Letters<'_> {
    #[inline(always)]
    fn write_first(&mut self, attributes: &mut Attributes) -> usize {
        static HEADS: [u32; 256] = Letters::HEADS;
        let mut count = 0;
        let mut step = 0;
        for (attribute, letter) in attributes[..ITEMS_MAX].iter_mut().zip(self.letters) {
            let head = HEADS[usize::from(*letter)];
            if head == 0 {
                break;
            }
            // SAFETY: the contract of `new`; all letters before this one are those of kinds.
            let address = unsafe { self.addresses.add(count).read() };
            if address == 0 {
                break;
            }
            *attribute = Attribute::with_head(head + step, address as u64);
            step += KINDS * Attribute::NEXT_ID;
            count += 1;
        }
        self.letters = &self.letters[count..];
        // SAFETY: as above.
        self.addresses = unsafe { self.addresses.add(count) };
        count
    }
}

/// The task whose creation the thread has begun has these items.
pub fn depend(thread: &mut Location, handle: usize, items: impl Items) {
    let task = untag(handle);
    let is_due = thread.tasks.due.is_some_and(|due| due.task == task);
    if !thread.tracing || handle & UNTIMED != 0 || !is_due {
        return;
    }
    with_attributes(thread, items, |thread, attributes| {
        guard::flush(thread);
        if let Some(due) = take_due(thread) {
            write_creation_with(thread, due, attributes);
            take_back(thread, due.task);
        }
    });
}

/// The thread enters a taskwait that waits only for the tasks before it by these items. As for
/// others, it is counted only if there are no children to wait for, and it cannot end elsewhere.
pub fn enter_taskwait(thread: &mut Location, region: u32, items: impl Items, clock: impl Clock) {
    if !thread.tracing || thread.is_passing() || !has_children(thread) {
        return wait_enter(thread, region, clock);
    }
    let mut is_entered = false;
    with_attributes(thread, items, |thread, attributes| {
        thread.enter_with(region, clock.now(), attributes);
        begin_waiting(thread);
        is_entered = true;
    });
    if !is_entered {
        wait_enter(thread, region, clock);
    }
}

/// The thread leaves such a taskwait. Other children may still be running.
pub fn exit_taskwait(thread: &mut Location, region: u32, clock: impl Clock) {
    let running = thread.tasks.running;
    // SAFETY: running tasks are alive; only this thread changes the field.
    let children = unsafe { (*running).children };
    wait_exit(thread, region, clock);
    if running == thread.tasks.running {
        // SAFETY: as above.
        unsafe { (*running).children = children };
    }
}

/// The host meets a target construct with these items.
pub fn enter_target(thread: &mut Location, region: u32, items: impl Items, clock: impl Clock) {
    let mut is_entered = false;
    if thread.tracing && !thread.is_passing() {
        with_attributes(thread, items, |thread, attributes| {
            thread.enter_with(region, clock.now(), attributes);
            is_entered = true;
        });
    }
    if !is_entered {
        thread.enter(region, clock.now());
    }
}

/// Calls `write` with the attributes for these items, if there are some.
fn with_attributes(
    thread: &mut Location,
    mut items: impl Items,
    write: impl FnOnce(&mut Location, &[Attribute]),
) {
    let mut attributes = [Attribute::default(); ITEMS_MAX + 1];
    let mut count = items.write_first(&mut attributes);
    let (mut id, mut unknown) = (FIRST_ID + count as u32 * KINDS, 0_u64);
    for item in items {
        match item {
            Some((kind, address)) if count < ITEMS_MAX && address != 0 => {
                attributes[count] = Attribute::new(id + kind as u32, address as u64);
                (count, id) = (count + 1, id + KINDS);
            }
            _ => unknown += 1,
        }
    }
    define(thread, count);
    if unknown > 0 {
        attributes[count] = Attribute::new(0, unknown);
        count += 1;
    }
    if count > 0 {
        write(thread, &attributes[..count]);
    }
}

/// The trace has attributes for as many items as a task has had so far.
fn define(thread: &mut Location, count: usize) {
    let count = count as u32;
    let most = &thread.process.depend_items;
    // One more than the number, because a task may have only items that are not known.
    if most.load(Ordering::Relaxed) <= count
        && most.fetch_max(count + 1, Ordering::Relaxed) <= count
    {
        thread.process.define(&Definition::DependItems { count });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many items are written at once, and all of them with those that come after.
    fn taken(letters: &str, addresses: &[usize]) -> (usize, Vec<Item>) {
        let mut attributes = [Attribute::default(); ITEMS_MAX + 1];
        // SAFETY: there are as many addresses as the test says.
        let items = || unsafe { Letters::new(letters.as_bytes(), addresses.as_ptr()) };
        let mut written = items();
        let count = written.write_first(&mut attributes);
        let mut all: Vec<Item> = items().take(count).collect();
        for (place, (item, attribute)) in (0..).zip(all.iter().zip(attributes)) {
            let (kind, address) = item.unwrap();
            let id = FIRST_ID + kind as u32 + place * KINDS;
            assert_eq!(attribute, Attribute::new(id, address as u64));
        }
        assert!(attributes[count..].iter().all(|&rest| rest == Attribute::default()));
        all.extend(written);
        assert_eq!(all, items().collect::<Vec<_>>());
        (count, all)
    }

    #[test]
    fn items_are_written_at_once_up_to_the_first_that_is_not_known() {
        use Kind::{In, Mutex, Out, Set};
        let known = [(In, 7), (Out, 8), (Mutex, 9), (Set, 10)].map(Some);
        assert_eq!(taken("ioms", &[7, 8, 9, 10]), (4, known.to_vec()));
        assert_eq!(taken("i?o", &[7, 8]), (1, vec![known[0], None, known[1]]));
        assert_eq!(taken("io", &[0, 8]), (0, vec![Some((In, 0)), known[1]]));
        assert_eq!(taken("", &[]), (0, vec![]));
        let many: Vec<usize> = (1..=70).collect();
        assert_eq!(taken(&"o".repeat(70), &many).0, ITEMS_MAX);
    }
}
