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

use crate::clock::{Clock, System};
use crate::ends;
use crate::entry::on_thread;

pub use constructs::*;
pub use parallel::*;
pub use parameters::*;
pub use tasks::*;

/// Runs an event of a construct on this thread's location, with the process and the descriptor's
/// handle.
macro_rules! on_construct {
    ($descriptor:expr, |$thread:ident, $process:tt, $handle:ident| $event:expr) => {
        $crate::entry::on_thread!(|$thread| {
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
            None => $crate::entry::first_event(),
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
            // SAFETY: the contract of this module.
            let $descriptor = unsafe { $crate::descriptor::Given::new($descriptor) };
            $call
        }
    )* };
}

pub(crate) use events;

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
