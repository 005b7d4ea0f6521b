//! How an event comes to its thread's location: what every adapter does first. An adapter is a
//! module that translates an API: [`crate::pomp`], [`crate::pomp2`], [`crate::mpi`], `gomp` for
//! that of libgomp, [`crate::ompt`], [`crate::io`] for functions that read and write files, and
//! [`crate::pthreads`] for those of POSIX threads. The rest of the library is the core, which uses
//! none of them (`cargo xtask tidy` checks that).
//!
//! Meanwhile the thread is closed, so an event that a signal handler raises in the middle is passed
//! over.

use std::ptr::null_mut;

use crate::location::{Location, gate};
use crate::tls::{self, Thread};
use crate::{iteration, start};

/// Runs an event on this thread's location. A macro, because closures that appear in many functions
/// are not inlined.
macro_rules! on_thread {
    (|$thread:ident| $event:expr) => {{
        let location = match $crate::entry::ready() {
            location if location.is_null() => $crate::entry::make_ready(),
            location => location,
        };
        if !location.is_null() {
            $crate::tls::close();
            // SAFETY: locations are never freed, and this thread is the only one that uses its own.
            let $thread = unsafe { &mut *location };
            $event;
            $crate::tls::open(location);
        }
    }};
}
pub(crate) use on_thread;

/// This thread's location, null if it cannot take an event at once. (An `Option` of a pointer is
/// two words, and slower.)
#[inline(always)]
pub fn ready() -> *mut Location {
    let location = tls::here();
    // SAFETY: what is here has a gate, and only this thread changes it.
    let gate = unsafe { (*location).gate };
    if gate & (gate::BUSY | gate::ENDING) == 0 { location } else { null_mut() }
}

/// The same where something comes before the event: the thread's location is made, the last
/// iteration ends. Null inside another event.
#[cold]
#[inline(never)]
pub fn make_ready() -> *mut Location {
    let Thread::Open(location) = tls::thread() else { return first_event() };
    tls::close();
    // SAFETY: as above.
    let thread = unsafe { &mut *location };
    let is_busy = thread.is_busy();
    if !is_busy {
        iteration::end_last(thread);
    }
    tls::open(location);
    if is_busy { null_mut() } else { location }
}

/// The location of a thread that has had no event yet, null where it gets none or has one.
#[cold]
#[inline(never)]
pub fn first_event() -> *mut Location {
    let is_new = matches!(tls::thread(), Thread::New);
    is_new.then(start::first_event).flatten().unwrap_or(null_mut())
}
