//! What a thread has open. OMPT's end of a construct does not say which one ends: its address is
//! that of another call, or there is none. But constructs are nested in each other on each thread,
//! so the innermost one of the same family ends.
//!
//! Each location has a list, which only its thread uses. While the list changes, the thread is
//! closed, so the events of a signal handler find nothing in the middle of a change.

use std::sync::atomic::{AtomicPtr, Ordering};

use crate::descriptor::{Given, Words};
use crate::location::Location;
use crate::tls;
use crate::unmodified::{self, Code, Directive};
use crate::{entry, start};

/// Constructs that have the same callbacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// A thread's part of a parallel region, and the region for its master. What is around it is
    /// open on another level, and does not end inside.
    Part,
    /// A loop, `sections`, `workshare`, or a `single` that another thread executes.
    Worksharing,
    /// A `single` that this thread executes.
    Single,
    /// A `scope`.
    Scope,
    Distribute,
    Taskloop,
    Teams,
    Master,
    Barrier,
    Taskwait,
    Taskgroup,
    Critical,
    Ordered,
    Atomic,
    /// A task that its creator executes at once.
    Task,
}

/// A construct that is open.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Which callbacks it has.
    pub family: Family,
    /// Its descriptor; `None` if it is not observed here, because its file is instrumented.
    pub construct: Option<Given>,
    /// What else has to be known at its end: the handle of a task, the address that a region was
    /// forked from, whether a barrier is inside a construct.
    pub more: i64,
}

/// The list of a location.
#[derive(Default)]
struct Open {
    entries: Vec<Entry>,
    /// The worksharing construct that has ended last.
    ended: Option<Entry>,
    /// A task whose creation ends when its dependences are known: its construct and its handle.
    created: Option<(Given, i64)>,
    /// The next task comes after others because of a clause of which no task has the items.
    comes_after: bool,
}

impl Open {
    /// The place of the innermost one of this family, inside the innermost part.
    fn place(&self, family: Family) -> Option<usize> {
        let found = self
            .entries
            .iter()
            .rposition(|entry| entry.family == family || entry.family == Family::Part)?;
        (self.entries[found].family == family).then_some(found)
    }

    fn innermost(&self, family: Family) -> Option<Entry> {
        self.place(family).map(|place| self.entries[place])
    }

    /// Whatever was entered after it was left without an end.
    fn pop(&mut self, family: Family) -> Option<Entry> {
        let place = self.place(family)?;
        self.entries.drain(place..).next()
    }
}

/// Locations that can have a list: as many as there are.
const LOCATIONS: usize = 1 << 14;

/// By location, null before its first construct.
static LISTS: [AtomicPtr<Open>; LOCATIONS] =
    [const { AtomicPtr::new(std::ptr::null_mut()) }; LOCATIONS];

/// Runs something on this thread's list; `None` where its events are passed over.
#[inline(always)]
fn with<T>(act: impl FnOnce(&mut Open) -> T) -> Option<T> {
    let location = match tls::location() {
        Some(location) => location.as_ptr(),
        None => entry::first_event(),
    };
    if location.is_null() {
        return None;
    }
    tls::close();
    // SAFETY: locations are never freed, and only this thread uses its own and its list; another
    // event cannot come meanwhile.
    let done = unsafe { list(location).map(|list| act(&mut *list)) };
    tls::open(location);
    done
}

/// The list of a location, made at its first construct.
///
/// # Safety
/// It must be this thread's.
#[inline(always)]
unsafe fn list(location: *mut Location) -> Option<*mut Open> {
    // SAFETY: the caller's promise.
    let place = LISTS.get(unsafe { (*location).header.index } as usize)?;
    let mut list = place.load(Ordering::Relaxed);
    if list.is_null() {
        list = Box::into_raw(Box::default());
        place.store(list, Ordering::Relaxed);
    }
    Some(list)
}

/// A construct is open from now on.
#[inline(always)]
pub fn push(family: Family, construct: Option<Given>, more: i64) {
    with(|open| open.entries.push(Entry { family, construct, more }));
}

/// The innermost construct of this family ends. If there is none, its begin was not observed; that
/// is counted.
#[inline(always)]
pub fn pop(family: Family) -> Option<Entry> {
    let popped = with(|open| open.pop(family))?;
    if popped.is_none() {
        note_unpaired();
    }
    popped
}

/// The innermost construct of this family.
#[inline(always)]
pub fn innermost(family: Family) -> Option<Entry> {
    with(|open| open.innermost(family)).flatten()
}

/// A worksharing construct has ended; its barrier may follow.
#[inline(always)]
pub fn note_ended(entry: Entry) {
    with(|open| open.ended = Some(entry));
}

/// The worksharing construct that has ended last, once.
#[inline(always)]
pub fn take_ended() -> Option<Entry> {
    with(|open| open.ended.take()).flatten()
}

/// The creation of a task ends when its dependences are known.
pub fn await_dependences(construct: Given, handle: i64) {
    with(|open| open.created = Some((construct, handle)));
}

/// The task whose creation waits for its dependences, once.
pub fn take_created() -> Option<(Given, i64)> {
    with(|open| open.created.take()).flatten()
}

/// The next task that the thread creates comes after others.
pub fn expect_after() {
    with(|open| open.comes_after = true);
}

/// Whether that was said of the task that is created now.
pub fn take_after() -> bool {
    with(|open| std::mem::take(&mut open.comes_after)).unwrap_or_default()
}

/// A worker begins its part of a parallel region: it has nothing else open. OMPT ends its last part
/// only now.
#[inline(always)]
pub fn begin_part(construct: Option<Given>) {
    with(|open| {
        open.entries.clear();
        open.ended = None;
        open.entries.push(Entry { family: Family::Part, construct, more: 0 });
    });
}

/// How many threads the thread's team has.
pub fn team_size() -> u32 {
    // SAFETY: what is open is a location, which only its thread uses.
    tls::location().map_or(1, |location| unsafe { location.as_ref() }.contexts.top().size)
}

/// A callback has come without the one that belongs to it.
#[cold]
#[inline(never)]
pub fn note_unpaired() {
    if let Some(process) = start::process() {
        process.lost(1, 0);
    }
}

/// The construct of this kind whose call returns to this address. If that is not in the program,
/// the construct is known by the function of the parallel region around it. `None` if its file is
/// instrumented.
#[inline(always)]
pub fn construct(directive: Directive, address: usize, words: impl Fn() -> Words) -> Option<Given> {
    let found = unmodified::construct(directive, Code::Call(address), &words)?;
    if unmodified::is_elsewhere(found) { around(directive, &words) } else { Some(found) }
}

/// The construct of this kind in the function of the parallel region that the thread is in.
#[cold]
#[inline(never)]
pub fn around(directive: Directive, words: &dyn Fn() -> Words) -> Option<Given> {
    let region = innermost(Family::Part)?.construct?;
    let function = unmodified::code_of(region)?;
    unmodified::construct(directive, function, words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(family: Family, more: i64) -> Entry {
        let code = Code::Call(entry as *const () as usize + 1);
        let construct = unmodified::construct(Directive::Barrier, code, Words::default);
        Entry { family, construct, more }
    }

    fn text(open: &Open) -> String {
        let names = open.entries.iter().map(|entry| format!("{:?} {}", entry.family, entry.more));
        names.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn the_innermost_one_of_the_family_ends_with_all_inside() {
        use Family::{Critical, Part, Taskgroup};
        let mut open = Open::default();
        for (family, more) in [(Part, 0), (Critical, 1), (Taskgroup, 2), (Critical, 3)] {
            open.entries.push(entry(family, more));
        }
        assert_eq!(open.innermost(Taskgroup).map(|entry| entry.more), Some(2));
        assert_eq!(open.pop(Critical).map(|entry| entry.more), Some(3));
        // The group was left without an end.
        assert_eq!(open.pop(Critical).map(|entry| entry.more), Some(1));
        assert_eq!(text(&open), "Part 0");
        assert!(open.pop(Taskgroup).is_none());
        assert_eq!(open.pop(Part).map(|entry| entry.more), Some(0));
    }

    /// A thread that is the master of an inner region has that in the construct around it.
    #[test]
    fn what_is_around_a_part_does_not_end_in_it() {
        use Family::{Barrier, Part, Single};
        let mut open = Open::default();
        for (family, more) in [(Part, 0), (Single, 1), (Part, 2), (Barrier, 3)] {
            open.entries.push(entry(family, more));
        }
        assert!(open.pop(Single).is_none());
        assert_eq!(open.pop(Part).map(|entry| entry.more), Some(2));
        assert_eq!(open.pop(Single).map(|entry| entry.more), Some(1));
        assert_eq!(text(&open), "Part 0");
    }
}
