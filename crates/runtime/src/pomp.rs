//! The POMP API (POMP paper, Table 3, with task functions): thin translations into the core.
//!
//! # Safety
//! One contract for all functions: a descriptor pointer leads to an `OMPRegDescr` that lives as
//! long as the process, and pointers to team and task ids to writable 64-bit integers. Whatever
//! else the calls say is checked: missing, doubled and misplaced events are passed over.

mod constructs;
mod fortran;
mod parallel;
mod parameters;
mod tasks;
mod ways;

use std::ptr::null_mut;

use crate::clock::{Clock, System};
use crate::location::{Location, gate};
use crate::tls::{self, Thread};
use crate::{ends, iteration, start};

pub use constructs::*;
pub use parallel::*;
pub use parameters::*;
pub use tasks::*;

/// Runs an event on this thread's location; meanwhile the thread is closed, so an event that a
/// signal handler raises in the middle is passed over. Macros, because closures that appear in many
/// functions are not inlined.
macro_rules! on_thread {
    (|$thread:ident| $event:expr) => {{
        let location = match $crate::pomp::ready() {
            location if location.is_null() => $crate::pomp::make_ready(),
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

/// The same with the process and the descriptor's handle.
macro_rules! on_construct {
    ($descriptor:expr, |$thread:ident, $process:tt, $handle:ident| $event:expr) => {
        $crate::pomp::on_thread!(|$thread| {
            let $process = $thread.process;
            // SAFETY: the contract of this module.
            let $handle = unsafe { $crate::descriptor::handle($descriptor) };
            $event
        })
    };
}
pub(crate) use on_construct;

/// The same for the begin and the end of an iteration: what ends unless the next one follows has
/// not ended yet.
macro_rules! on_iteration {
    ($descriptor:expr, |$thread:ident, $process:tt, $handle:ident| $event:expr) => {{
        let location = match $crate::tls::location() {
            Some(location) => location.as_ptr(),
            None => $crate::pomp::first_event(),
        };
        if !location.is_null() {
            $crate::tls::close();
            // SAFETY: as for `on_thread`.
            let $thread = unsafe { &mut *location };
            let $process = $thread.process;
            // SAFETY: the contract of this module.
            let $handle = unsafe { $crate::descriptor::handle($descriptor) };
            $event;
            $crate::tls::open(location);
        }
    }};
}
pub(crate) use on_iteration;

macro_rules! events {
    ($($(#[$doc:meta])* $name:ident($descriptor:ident) = $call:expr;)*) => { $(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($descriptor: *mut Descriptor) {
            $call
        }
    )* };
}

pub(crate) use events;

/// This thread's location, null if it cannot take an event at once. (An `Option` of a pointer is
/// two words, and slower.)
#[inline(always)]
pub(crate) fn ready() -> *mut Location {
    let location = tls::here();
    // SAFETY: what is here has a gate, and only this thread changes it.
    let gate = unsafe { (*location).gate };
    if gate & (gate::BUSY | gate::ENDING) == 0 { location } else { null_mut() }
}

/// The same where something comes before the event: the thread's location is made, the last
/// iteration ends. Null inside another event.
#[cold]
#[inline(never)]
pub(crate) fn make_ready() -> *mut Location {
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
pub(crate) fn first_event() -> *mut Location {
    let is_new = matches!(tls::thread(), Thread::New);
    is_new.then(start::first_event).flatten().unwrap_or(null_mut())
}

/// Starts the measurement before the first construct.
#[unsafe(no_mangle)]
pub extern "C" fn POMP_Init() {
    on_thread!(|_thread| {});
}

/// Ends the measurement.
#[unsafe(no_mangle)]
pub extern "C" fn POMP_Finalize() {
    ends::finalize();
}

/// Goes on with recording.
#[unsafe(no_mangle)]
pub extern "C" fn POMP_On() {
    on_thread!(|thread| thread.switch_recording(true, System.now()));
}

/// Stops recording on this thread until `POMP_On`.
#[unsafe(no_mangle)]
pub extern "C" fn POMP_Off() {
    on_thread!(|thread| thread.switch_recording(false, System.now()));
}
