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
    /// By letter. A table takes a third of the instructions that comparisons take.
    const OF_LETTERS: [Option<Kind>; 256] = {
        let mut kinds = [None; 256];
        kinds[b'i' as usize] = Some(Kind::In);
        kinds[b'o' as usize] = Some(Kind::Out);
        kinds[b'm' as usize] = Some(Kind::Mutex);
        kinds[b's' as usize] = Some(Kind::Set);
        kinds
    };

    /// The kind that a letter of `POMP_Task_depend` stands for.
    #[inline(always)]
    pub fn of_letter(letter: u8) -> Option<Kind> {
        static BY_LETTER: [Option<Kind>; 256] = Kind::OF_LETTERS;
        BY_LETTER[usize::from(letter)]
    }
}

/// An item, and `None` for one whose address is not known.
pub type Item = Option<(Kind, usize)>;

/// Attributes of items have one byte for their ids: 0 for the number of those that are not known,
/// and one for each kind and place. It is the number in `pompeii-model`, too.
const ITEMS_MAX: usize = 63;
/// The id of the attribute of a first item with the first kind.
const FIRST_ID: u32 = 1;
/// How many kinds there are: the ids of the next item are larger by this.
const KINDS: u32 = 4;

/// The task whose creation the thread has begun has these items.
pub fn depend(thread: &mut Location, handle: usize, items: impl Iterator<Item = Item>) {
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
pub fn enter_taskwait(
    thread: &mut Location,
    region: u32,
    items: impl Iterator<Item = Item>,
    clock: impl Clock,
) {
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
pub fn enter_target(
    thread: &mut Location,
    region: u32,
    items: impl Iterator<Item = Item>,
    clock: impl Clock,
) {
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
    items: impl Iterator<Item = Item>,
    write: impl FnOnce(&mut Location, &[Attribute]),
) {
    let mut attributes = [Attribute::default(); ITEMS_MAX + 1];
    let (mut count, mut id, mut unknown) = (0, FIRST_ID, 0_u64);
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
