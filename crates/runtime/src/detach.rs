//! Detached tasks: one is complete when its body is over and its event is fulfilled, in whatever
//! order that comes, and whoever comes second says so in the trace. The time of a task is that of
//! its body, so a profile needs none of this.
//!
//! The two sides meet in a table without locks, by the event. Where that has no memory, a task is
//! complete at the end of its body. Who fulfils an event: `fulfil.rs`.

use std::sync::atomic::Ordering::{AcqRel, Relaxed};
use std::sync::atomic::{AtomicU32, AtomicU64};

use crate::addresses::{Addresses, Zeroed};
use crate::events::Fields;

/// What has come to an event first: nothing, the end of the body, its fulfilment.
mod side {
    pub const NONE: u32 = 0;
    pub const ENDED: u32 = 1;
    pub const FULFILLED: u32 = 2;
}

/// An event.
#[derive(Default)]
struct Entry {
    side: AtomicU32,
    /// The name of the task, once its body is over.
    name: [AtomicU64; 2],
}

// SAFETY: numbers of 0, which are the default values.
unsafe impl Zeroed for Entry {}

struct Events(Addresses<Entry>);

static EVENTS: Events = Events::new();

impl Events {
    const fn new() -> Self {
        Self(Addresses::new())
    }

    fn entry(&self, event: usize) -> Option<&Entry> {
        self.0.known(event).or_else(|| self.0.take(event).map(|(entry, _)| entry))
    }

    /// The body of the task of this name is over. Returns whether that completes it.
    fn ended(&self, event: usize, name: Fields) -> bool {
        let Some(entry) = self.entry(event) else { return true };
        for (word, value) in entry.name.iter().zip(name.words()) {
            word.store(value, Relaxed);
        }
        let is_second = entry.side.swap(side::ENDED, AcqRel) == side::FULFILLED;
        if is_second {
            self.forget(event);
        }
        is_second
    }

    /// The event is fulfilled. Returns the name of the task that is complete with it.
    fn fulfilled(&self, event: usize) -> Option<Fields> {
        let entry = self.entry(event)?;
        if entry.side.swap(side::FULFILLED, AcqRel) != side::ENDED {
            return None;
        }
        let name = entry.name.each_ref().map(|word| word.load(Relaxed));
        self.forget(event);
        Some(Fields::from_words(name))
    }

    fn forget(&self, event: usize) {
        self.0.forget(event, |entry| entry.side.store(side::NONE, Relaxed));
    }
}

/// The body of a detached task is over. Returns whether the task is complete with that.
pub fn completes(event: usize, name: Fields) -> bool {
    EVENTS.ended(event, name)
}

/// An event is fulfilled. Returns the name of the task that is complete with it.
pub fn fulfils(event: usize) -> Option<Fields> {
    EVENTS.fulfilled(event)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_comes_second_completes_the_task() {
        static EVENTS: Events = Events::new();
        let name = |number| Fields::task(1, 2, number);
        // An event's memory is used again.
        for number in 0..10_000 {
            let event = 0x1000 + 64 * (number as usize % 3);
            assert!(!EVENTS.ended(event, name(number)));
            assert_eq!(EVENTS.fulfilled(event), Some(name(number)));
            assert_eq!(EVENTS.fulfilled(event), None);
            assert!(EVENTS.ended(event, name(number)));
        }
    }

    #[test]
    fn any_number_of_tasks_may_wait_for_their_events() {
        static EVENTS: Events = Events::new();
        let name = |number| Fields::task(1, 2, number);
        let events = || (1..100_000u32).map(|number| (number as usize * 64, name(number)));
        assert!(events().all(|(event, name)| !EVENTS.ended(event, name)));
        assert!(events().all(|(event, name)| EVENTS.fulfilled(event) == Some(name)));
    }
}
