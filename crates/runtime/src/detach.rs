//! Detached tasks: one is complete when its body is over and its event is fulfilled, in whatever
//! order that comes, and whoever comes second says so in the trace. The time of a task is that of
//! its body, so a profile needs none of this.
//!
//! `omp_fulfill_event` is interposed like the lock routines. The two sides meet in a table without
//! locks, by the event. Where it is full, a task is complete at the end of its body.

use std::sync::atomic::Ordering::{AcqRel, Relaxed};
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize};

use crate::addresses::{Addresses, PLACES};
use crate::clock;
use crate::events::{Fields, kind};
use crate::location::Location;
use crate::openmp;
use crate::pomp::on_thread;

/// What has come to an event first: nothing, the end of the body, its fulfilment.
mod side {
    pub const NONE: u32 = 0;
    pub const ENDED: u32 = 1;
    pub const FULFILLED: u32 = 2;
}

/// An event.
struct Entry {
    side: AtomicU32,
    /// The name of the task, once its body is over.
    name: [AtomicU64; 2],
}

impl Entry {
    const fn new() -> Self {
        Self { side: AtomicU32::new(side::NONE), name: [const { AtomicU64::new(0) }; 2] }
    }
}

struct Events {
    events: Addresses,
    entries: [Entry; PLACES],
}

static EVENTS: Events = Events::new();

impl Events {
    const fn new() -> Self {
        Self { events: Addresses::new(), entries: [const { Entry::new() }; PLACES] }
    }

    fn place(&self, event: usize) -> Option<usize> {
        let known = || self.events.take(event).map(|(place, _)| place);
        self.events.known(event).or_else(known)
    }

    /// The body of the task of this name is over. Returns whether that completes it.
    fn ended(&self, event: usize, name: Fields) -> bool {
        let Some(place) = self.place(event) else { return true };
        let entry = &self.entries[place];
        for (word, value) in entry.name.iter().zip(name.words()) {
            word.store(value, Relaxed);
        }
        let is_second = entry.side.swap(side::ENDED, AcqRel) == side::FULFILLED;
        if is_second {
            self.forget(place);
        }
        is_second
    }

    /// The event is fulfilled. Returns the name of the task that is complete with it.
    fn fulfilled(&self, event: usize) -> Option<Fields> {
        let place = self.place(event)?;
        let entry = &self.entries[place];
        if entry.side.swap(side::FULFILLED, AcqRel) != side::ENDED {
            return None;
        }
        let name = entry.name.each_ref().map(|word| word.load(Relaxed));
        self.forget(place);
        Some(Fields::from_words(name))
    }

    fn forget(&self, place: usize) {
        self.entries[place].side.store(side::NONE, Relaxed);
        self.events.free(place);
    }
}

/// The body of a detached task is over. Returns whether the task is complete with that.
pub fn completes(event: usize, name: Fields) -> bool {
    EVENTS.ended(event, name)
}

/// A thread is about to fulfil an event.
fn fulfil(thread: &mut Location, event: usize) {
    if !thread.tracing {
        return;
    }
    if let Some(name) = EVENTS.fulfilled(event) {
        let now = clock::now();
        if thread.gate != 0 {
            thread.flush_gate(now);
        }
        let now = thread.account(now);
        thread.records(now, |records| records.fields(kind::TASK_COMPLETE, &name));
    }
}

/// Interposes `omp_fulfill_event`; its record comes before what waits for the task goes on.
#[unsafe(no_mangle)]
pub extern "C" fn omp_fulfill_event(event: usize) {
    static REAL: AtomicUsize = AtomicUsize::new(0);
    on_thread!(|thread| fulfil(thread, event));
    let mut real = REAL.load(Relaxed);
    if real == 0 {
        // SAFETY: a NUL-terminated name.
        real = unsafe { openmp::symbol(libc::RTLD_NEXT, c"omp_fulfill_event".as_ptr()) };
        REAL.store(real, Relaxed);
    }
    if real != 0 {
        // SAFETY: the next library's routine of this name; its argument is as wide as a pointer.
        unsafe { std::mem::transmute::<usize, extern "C" fn(usize)>(real)(event) };
    }
}

/// Interposes `omp_fulfill_event` of Fortran, which gets the event by its value, too.
#[unsafe(no_mangle)]
pub extern "C" fn omp_fulfill_event_(event: usize) {
    omp_fulfill_event(event);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_comes_second_completes_the_task() {
        static EVENTS: Events = Events::new();
        let name = |number| Fields::task(1, 2, number);
        // An event's memory is used again, so many times that the table would be full.
        for number in 0..2 * PLACES as u32 {
            let event = 0x1000 + 64 * (number as usize % 3);
            assert!(!EVENTS.ended(event, name(number)));
            assert_eq!(EVENTS.fulfilled(event), Some(name(number)));
            assert_eq!(EVENTS.fulfilled(event), None);
            assert!(EVENTS.ended(event, name(number)));
        }
    }

    #[test]
    fn a_full_table_completes_tasks_at_their_end() {
        static EVENTS: Events = Events::new();
        let name = Fields::task(1, 2, 3);
        let open = (1..=2 * PLACES).filter(|event| !EVENTS.ended(event * 64, name)).count();
        assert!(open <= PLACES && open > PLACES / 4, "{open}");
    }
}
